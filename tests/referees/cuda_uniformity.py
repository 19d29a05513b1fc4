#!/usr/bin/env python3
"""Compares the verdicts of `tangle` on branches in CUDA and HIP kernels with LLVM's uniformity analysis of clang's
device code.

    cuda_uniformity.py --tangle target/release/tangle --dialect cuda --sdk SDK FILE                     one file
    cuda_uniformity.py --tangle … --dialect hip --sdk SDK --root FOLDER --list LIST --kernels 50 --seed 1    many files, at random

It needs `clang-19` and `opt-19` (Debian: `clang-19`, `llvm-19`). The SDK is a folder of headers; for HIP it also
contains `usr/lib/…/amdgcn/bitcode`. Each line of a list names a source. After tabs it can have arguments for clang.
Those with `-I` or `-D` are also passed to `tangle`.

The input is clang's code before any pass. Then all calls are inlined, variables become values (`sroa`), and address
spaces are inferred, for CUDA after `nvptx-lower-args`: for LLVM, each thread has its own private memory, and its own
memory in unknown address spaces. For nvptx64, LLVM 19 treats the result of every call as divergent, including
intrinsics. So reads of special registers that are equal in a block become loads of constants. A call that computes only
from its operands becomes arithmetic on these operands: the result does not matter, only its dependences.

The script compares branches in the text of a kernel, not branches of inlined functions. A branch is identified by its
kind, its position among the branches of this kind in the function, and its line. For a template, LLVM's verdict is
divergent if it is divergent in any instance. The scope is the warp, and LLVM knows no block shapes. Values that are
uniform for `tangle` only in the warp are counted separately.

Each difference between the verdicts has a class with a reason. If only `tangle` says divergent, the class follows from
the end of its chain of causes. If only LLVM does, it follows from the *roots* of the divergence. These are found
backwards along operands that are divergent for LLVM, as in `tests/graphs/uniformity/excuse.rs`. Differences without a
class are printed with their location, and the exit status is then 1.
"""

import argparse
import concurrent.futures
import json
import os
import random
import re
import subprocess
import sys
import tempfile
import time
from collections import Counter, defaultdict

# Labels that identify the kind of a branch: the first one with a matching successor counts, as in `tangle show --what
# uniformity`.
KINDS = [
    ("land.rhs", "and"), ("land.lhs.true", "and"), ("lor.rhs", "or"), ("lor.lhs.false", "or"), ("cond.", "conditional"), ("if.then", "if"),
    ("while.body", "while"), ("for.body", "for"), ("do.body", "do"), ("land.", "and"), ("lor.", "or"),
]
NAME = r"[-\w$.]+|\"[^\"]*\""
LOCAL = re.compile(r"%(" + NAME + ")")

# The text of a class says why the difference is no error of either side, or which side is wrong.
LLVM_ALONE = {
    "warp": "uniform to us in the warp, not in the block: threadIdx.y, threadIdx.x / 32, what a warp votes on; LLVM knows of no shapes of blocks",
    "space": "memory of which LLVM does not know the address space; it is read at a uniform address",
    "private": "private memory, into which only what is uniform is written (by whom is not looked at); to LLVM each thread has its own at one address",
    "arithmetic": "a comparison of sums in which each id has the same factor on both sides; taken for granted: sums do not wrap",
    "vote": "a barrier that counts or votes: the whole block gets one result",
    "pure": "an intrinsic that computes from its arguments alone",
    "opaque": "a call that is not inlined: of a function that clang does not see, or that calls itself",
    "undefined": "a value that is not set on all ways",
    "join": "a join, or the end of a loop, of a branch that is divergent to LLVM alone",
}

US_ALONE = {
    "memory": "memory that the kernel writes, or whose writers are not known: LLVM takes a load at one address for the same in all threads",
    "constants": "`__constant__` memory or a parameter's copy",
    "nothing": "nothing that LLVM reads: a constant of the host, a join, or what we do not follow",
}


def run(arguments, seconds=240, **more):
    return subprocess.run(arguments, capture_output=True, text=True, errors="replace", timeout=seconds, **more)


def clang_arguments(given):
    told = ["-std=" + given.std, "-w", "-O1", "-Xclang", "-disable-llvm-passes", "-g", "-fno-discard-value-names", "-S", "-emit-llvm",
            "--cuda-device-only"]
    if given.dialect == "cuda":
        told += ["-x", "cuda", f"--cuda-gpu-arch={given.arch or 'sm_80'}", f"--cuda-path={given.sdk}"]
        # Some SDK folders have a header with the declarations that nvcc predefines.
        if os.path.exists(os.path.join(given.sdk, "include", "nvcc.h")):
            told += ["-include", "nvcc.h"]
        return told
    bitcode = next((folder for folder, _, _ in os.walk(given.sdk) if folder.endswith("amdgcn/bitcode")), None)
    return told + ["-x", "hip", f"--offload-arch={given.arch or 'gfx90a'}", f"--rocm-device-lib-path={bitcode}",
                   f"--rocm-path={given.sdk}/usr", f"--hip-path={given.sdk}/usr"]


def kernels_of(module):
    """Returns the names of the kernels of a module."""
    named = re.findall(r"@(" + NAME + r"), !\"kernel\", i32 1}", module)
    return [name.strip('"') for name in named + re.findall(r"^define [^@\n]*amdgpu_kernel [^@\n]*@(" + NAME + r")\(", module, re.M)]


def inlined_always(module):
    """Returns the text of a module with all functions marked to be inlined."""
    def marked(line):
        return re.sub(r"\b(noinline|optnone|alwaysinline|inlinehint|minsize|optsize) ", "", line.group(0)).replace("{", "{ alwaysinline", 1)
    return re.sub(r"^attributes #\d+ = \{.*$", marked, module, flags=re.M)


def without_calls(module):
    """Returns the text of a module for nvptx64 without calls whose result is uniform for uniform operands."""
    groups = dict(re.findall(r"^attributes (#\d+) = (\{.*)$", module, re.M))
    pure, registers = set(), set()
    for name, rest in re.findall(r"^declare [^@\n]*@(llvm\.[\w.]+)(\(.*)$", module, re.M):
        of = " ".join(groups.get(group, "") for group in re.findall(r"#\d+", rest))
        if "read.ptx.sreg" not in name and "memory(none)" in of and "convergent" not in of and not name.startswith("llvm.dbg"):
            pure.add(name)
    shared = re.compile(r"= (?:tail )?call [^@\n]*@(llvm\.nvvm\.read\.ptx\.sreg\.(?:n?tid|ctaid|nctaid|gridid|warpsize)[\w.]*)\(\)(?: #\d+)?")

    def loaded(found):
        if ".sreg.tid" in found.group(1):
            return found.group(0)
        registers.add(found.group(1))
        return f"= load i32, ptr addrspace(4) @of.{found.group(1)}, align 4"

    def computed(found):
        indent, result, type_, name, operands, rest = found.groups()
        if name not in pure:
            return found.group(0)
        attributes = r"(?:(?:noundef|nofpclass\([^()]*\)|nnan|immarg) )*"
        values = re.findall(r"(<[^<>]*>|[\w.]+) " + attributes + r"(%(?:" + NAME + r")|[-\w.+]+|<[^<>]*>)(?:, |$)", operands)
        used = [value for kind, value in values if value.startswith("%")]
        if not used:
            values, used = values[:1], ["zeroinitializer"]
        elif any(kind != type_ for kind, value in values if value.startswith("%")) or "{" in type_ or "ptr" in type_:
            return found.group(0)
        operation = "fadd" if re.search(r"float|double|half", type_) else "add"
        rest = re.sub(r"^ #\d+", "", rest)
        lines, last = [], used[0]
        for number, value in enumerate(used[1:]):
            lines.append(f"{indent}%c{computed.number}.{number} = {operation} {type_} {last}, {value}")
            last = f"%c{computed.number}.{number}"
        computed.number += 1
        return "\n".join(lines + [f"{indent}{result} = freeze {type_} {last}{rest}"])

    computed.number = 0
    module = shared.sub(loaded, module)
    flags = r"(?:(?:nnan|ninf|nsz|arcp|contract|afn|reassoc|fast|noundef|nofpclass\([^()]*\)|range\([^()]*\)) )*"
    call = r"^( +)(%(?:" + NAME + r")) = (?:tail )?call " + flags + r"(<[^<>]*>|[\w.]+) @(llvm\.[\w.]+)\((.*?)\)((?: #\d+)?(?:, ![^\n]*)?)$"
    module = re.sub(call, computed, module, flags=re.M)
    return module + "".join(f"@of.{name} = external addrspace(4) global i32\n" for name in sorted(registers))


class Module:
    """The kernels of a module, with the locations and verdicts of their branches."""

    def __init__(self, text, printed, source):
        self.source = source
        self.nodes = dict(re.findall(r"^(!\d+) = (?:distinct )?(!.*)$", text, re.M))
        self.kernels = set(kernels_of(text))
        self.verdicts = self.read(printed)
        self.functions = {}
        for found in re.finditer(r"^define [^@\n]*@(" + NAME + r")\(([^\n]*)\{\n(.*?)^\}", text, re.M | re.S):
            name = found.group(1).strip('"')
            if name in self.kernels and name in self.verdicts:
                self.functions[name] = Function(self, name, found.group(2), found.group(3))

    @staticmethod
    def read(printed):
        """Returns the operations of each function, with verdicts and texts, and the blocks with divergent terminators."""
        functions = {}
        for part in re.split(r"^UniformityInfo for function '", printed, flags=re.M)[1:]:
            name, body = part.split("'", 1)
            lines, ends, at_end, block = {}, set(), False, None
            for line in body.split("\n"):
                if line.startswith("BLOCK "):
                    block = line[6:]
                elif line == "DEFINITIONS":
                    at_end = False
                elif line == "TERMINATORS":
                    at_end = True
                elif block is not None:
                    divergent = line.startswith("  DIVERGENT:")
                    if at_end and divergent:
                        ends.add(block)
                    defined = re.match(r"\s*%(" + NAME + r") = ", line.removeprefix("  DIVERGENT:"))
                    if defined and not at_end:
                        lines[defined.group(1)] = (divergent, line.removeprefix("  DIVERGENT:").strip(), block)
            functions[name] = (lines, ends)
        return functions

    def field(self, node, name):
        found = re.search(r"\b" + name + r": (\"[^\"]*\"|[^,)]*)", self.nodes.get(node, ""))
        return found.group(1).strip('"') if found else None

    def place(self, text):
        """Returns the line and column of an operation if they are in the kernel's own text, or None."""
        found = re.search(r"!dbg (!\d+)", text)
        if not found or self.field(found.group(1), "inlinedAt"):
            return None
        scope = self.field(found.group(1), "scope")
        file = self.nodes.get(self.field(scope, "file") or "", "")
        path = os.path.join(self.text(file, "directory"), self.text(file, "filename"))
        line, column = int(self.field(found.group(1), "line")), int(self.field(found.group(1), "column") or 0)
        return (line, column) if line and os.path.realpath(path) == self.source else None

    @staticmethod
    def text(node, name):
        found = re.search(name + r": \"([^\"]*)\"", node)
        return found.group(1) if found else ""


class Branch:
    def __init__(self, block, place, kind, divergent, text):
        # The text of the condition.
        self.block, self.place, self.kind, self.divergent, self.text = block, place, kind, divergent, text


class Function:
    def __init__(self, module, name, head, body):
        self.module, self.name = module, name
        described = re.search(r"!dbg (!\d+)", head)
        self.described = module.field(described.group(1), "name") if described else name
        self.lines, self.ends = module.verdicts[name]
        self.assumed = set()
        self.successors, self.branches, self.effects, self.reachable, self.between = {}, [], [], {}, {}
        block = "0"
        joined = re.sub(r"\[\n(.*?)\n\s*\]", lambda found: "[" + found.group(1).replace("\n", " ") + "]", body, flags=re.S)
        for line in joined.split("\n"):
            label = re.match(r"(" + NAME + r"):", line)
            if label:
                block = label.group(1).strip('"')
                continue
            text = line.strip()
            # For a function without divergence, LLVM prints only this fact, and no operations.
            defined = re.match(r"%(" + NAME + r") = ", text)
            if defined:
                self.lines.setdefault(defined.group(1), (False, text, block))
            if re.match(r"(%\S+ = )?(tail )?call |store |atomicrmw|cmpxchg", text):
                self.effects.append(re.sub(r", !.*", "", text))
            ended = re.match(r"(br|switch|ret|unreachable|indirectbr)\b", text)
            if ended:
                self.successors[block] = [next_.strip('"') for next_ in re.findall(r"label %(" + NAME + ")", text)]
            if re.match(r"br i1|switch ", text):
                kind = "switch" if text.startswith("switch") else self.kind(block)
                last = self.last_operand(block, text)
                self.add(block, text, kind, self.differs(last) if last else block in self.ends, last)
            chosen = re.match(r"%cond[\w.]* = select i1 ([^,]*),", text)
            if chosen:
                self.add(block, text, "conditional", self.differs(chosen.group(1)), chosen.group(1))

    def kind(self, block):
        for prefix, kind in KINDS:
            if any(label.startswith(prefix) for label in self.successors[block]):
                return kind
        return "if"

    def last_operand(self, block, text):
        """Returns the last operand of `a && b` in a loop condition. clang joins both operands before the branch;
        `tangle` has a branch for each."""
        name = re.match(r"br i1 %(" + NAME + ")", text)
        joined = self.lines.get(name.group(1), (False, "", ""))[1] if name and re.match(r"(land|lor)\.end", block) else ""
        if " = phi i1 " not in joined or self.lines[name.group(1)][2] != block:
            return None
        values = [value for value in re.findall(r"\[ ([^,]*), ", joined) if value not in ("true", "false")]
        return values[0] if len(values) == 1 else None

    def differs(self, value):
        return value.startswith("%") and self.lines.get(value[1:], (False,))[0]

    def add(self, block, text, kind, divergent, value):
        place = self.module.place(text)
        if place:
            self.branches.append(Branch(block, place, kind, divergent, value or text.split("label")[0]))

    def reaches(self, start, without=()):
        seen, todo = set(), list(start)
        while todo:
            block = todo.pop()
            if block not in seen and block not in without:
                seen.add(block)
                todo += self.successors.get(block, [])
        return seen

    def roots(self, branch, parted_to_us):
        """Returns the classes of the roots of a branch that is divergent for LLVM, or the text of a root without a class.
        At the terminators of `parted_to_us`, threads also diverge for `tangle`."""
        self.parted = parted_to_us
        names = [name for name in LOCAL.findall(branch.text) if name in self.lines]
        todo, seen, found = [name for name in names if self.lines.get(name, (False,))[0]], set(), set()
        if not todo:
            found.add(self.of_control(branch.block, names, branch.text, parted_to_us))
        while todo:
            name = todo.pop()
            if name in seen:
                continue
            seen.add(name)
            _, text, block = self.lines[name]
            why = self.source(text)
            operands = [each for each in LOCAL.findall(text.split(" = ", 1)[1]) if each in self.lines]
            divergent = [each for each in operands if self.lines[each][0]]
            # If an address is divergent, the address is the reason.
            follow = why in (None, "pure", "space", "private")
            if why and not (follow and divergent):
                found.add(why)
            elif not divergent:
                found.add(self.of_control(block, operands, text, parted_to_us))
            todo += divergent if follow else []
        if any(why.startswith("id ") for why in found) and len(names) == 1 and self.cancels(names[0]):
            return {"arithmetic"}
        return found

    def cancels(self, name):
        """Returns whether both sides of a comparison are sums with the same factor for each divergent value."""
        found = re.match(r"%\S+ = icmp (?:\w+ )?\S+ (\S+), (\S+)", re.sub(r",? !.*", "", self.lines[name][1]))
        if not found:
            return False
        left, right = (self.factors(side, {}, 0) for side in found.groups())
        return left is not None and left == right

    def factors(self, value, known, depth):
        """Returns the factors of the divergent values in a sum, by name, or None for other values.
        `known` contains the factors of the loop variables whose steps are being read."""
        name = value.strip("%")
        if name in known:
            return known[name]
        if not self.differs(value):
            return {}
        text = re.sub(r",? !.*", "", self.lines[name][1])
        if depth > 40:
            return None
        found = re.match(r"%\S+ = (add|sub|mul|shl|or disjoint) (?:nuw |nsw )*\S+ (\S+), (\S+)", text)
        if found:
            operation, one, other = found.groups()
            if operation in ("mul", "shl"):
                one, other = (other, one) if operation == "mul" and re.match(r"-?\d+$", one) else (one, other)
                factor = int(other) if re.match(r"-?\d+$", other) else None
                sides = self.factors(one, known, depth + 1)
                if factor is None or sides is None:
                    return None
                return {each: count * (factor if operation == "mul" else 2 ** factor) for each, count in sides.items()}
            left, right = (self.factors(side, known, depth + 1) for side in (one, other))
            if left is None or right is None:
                return None
            sum_ = {each: left.get(each, 0) + (-1 if operation == "sub" else 1) * right.get(each, 0) for each in left | right}
            return {each: count for each, count in sum_.items() if count}
        found = re.match(r"%\S+ = (?:sext|zext|trunc|freeze) (?:nneg |nuw |nsw )*\S+ (%[^\s,]+)", text)
        if found:
            return self.factors(found.group(1), known, depth + 1)
        if " = phi " in text:
            # A loop variable has its initial factors, if each step adds a uniform value.
            own = {name: 1}
            ways = [self.factors(way, known | {name: own}, depth + 1) for way in re.findall(r"\[ ([^,]*), ", text)]
            first = [way for way in ways if way != own]
            return first[0] if len(first) == 1 and first[0] is not None and name not in first[0] else None
        # Calls that read one register are one value.
        register = re.search(r"@(llvm\.(?:nvvm\.read\.ptx\.sreg\.tid|amdgcn\.workitem\.id)\.\w)", text)
        return {register.group(1) if register else name: 1}

    def leans_on(self, branch):
        """Returns the kind of memory that a branch depends on. For a branch that is uniform for LLVM."""
        todo, seen, found = LOCAL.findall(branch.text), set(), "nothing"
        while todo:
            name = todo.pop()
            if name in seen or name not in self.lines:
                continue
            seen.add(name)
            text = self.lines[name][1]
            todo += LOCAL.findall(text.split(" = ", 1)[1])
            space = re.search(r"\bload [^@%]*ptr (?:addrspace\((\d+)\) )?(?!addrspace|@of\.)", text)
            if space and space.group(1) != "5":
                found = "memory" if space.group(1) in (None, "1", "3") else "constants" if found != "memory" else found
        return found

    def source(self, text):
        if re.search(r"\bload (atomic |volatile )*", text) and " call " not in text:
            if "atomic" in text or "volatile" in text:
                return f"{text.split(' = ')[1][:120]}"
            space = re.search(r"ptr (addrspace\((\d+)\) )?", text)
            if space and space.group(2) and space.group(2) != "5":
                return None
            pointer = re.search(r"ptr (?:addrspace\(\d+\) )?%(" + NAME + ")", text)
            own = self.variables(pointer.group(1), set()) if pointer else set()
            if not own:
                return "space"
            return "private" if own <= self.assumed or self.is_written_alike(own) else "private memory into which something is written that differs"
        if "asm " in text and " call " in text:
            return "assembly"
        called = re.search(r" call [^@]*@(" + NAME + r")\(", text)
        if not called:
            return f"{text.split(' = ')[1][:120]}" if re.search(r"atomicrmw|cmpxchg| call ", text) else None
        name = called.group(1)
        if re.match(r"llvm\.nvvm\.barrier0?\.(popc|and|or)", name):
            return "vote"
        if re.match(r"llvm\.(nvvm\.(read\.ptx\.sreg|shfl|match|vote|activemask|redux|atomic)|amdgcn\.(workitem|mbcnt|ds\.|.*dpp|permlane|update))", name):
            return "id " + name
        if name.startswith("llvm."):
            return "pure"
        return "opaque"

    def variables(self, name, seen):
        """Returns the variables that a pointer may point to, as far as its own operations show."""
        if name in seen or name not in self.lines:
            return set()
        seen.add(name)
        text = self.lines[name][1]
        if "= alloca" in text:
            return {name}
        if not re.search(r"= (getelementptr|addrspacecast|phi|select|freeze)", text):
            return set()
        return set().union(*(self.variables(each, seen) for each in LOCAL.findall(text.split(" = ", 1)[1])))

    def is_written_alike(self, variables):
        """Returns whether only uniform values are written into variables, at uniform addresses.
        Any call that receives their address counts as an unknown write."""
        pointers, before = set(variables), 0
        while len(pointers) != before:
            before = len(pointers)
            for name, (_, text, _) in self.lines.items():
                if re.search(r"= (getelementptr|addrspacecast|phi|select|freeze)", text) and pointers & set(LOCAL.findall(text.split(" = ", 1)[1])):
                    pointers.add(name)
        # Constant text may be copied into variables, and their lifetimes begin and end.
        for text in self.effects:
            if not pointers & set(LOCAL.findall(text)) or "@llvm.lifetime" in text or "@llvm.memset" in text:
                continue
            written = re.match(r"store (?:<[^<>]*>|[^ ]+) ([^ ,]+), ptr [^%]*%(" + NAME + ")", text)
            if not written or written.group(1)[1:] in pointers or written.group(2) not in pointers or self.differs("%" + written.group(2)):
                return False
            # A value that is read from the variables is uniform if the written values are.
            if self.differs(written.group(1)):
                self.assumed |= variables
                alike = self.roots(Branch("", None, "", True, written.group(1)), self.parted) <= set(LLVM_ALONE)
                self.assumed -= variables
                if not alike:
                    return False
        return True

    def of_control(self, block, operands, text, parted_to_us):
        """Returns why a value without divergent operands is divergent."""
        homes = {self.lines[name][2] for name in operands}
        suspects = set()
        for end in self.ends:
            ways = set(self.successors.get(end, []))
            if " = phi " in text and end in self.before(block) and sum(block in self.reached(way) for way in ways) > 1:
                suspects.add(end)
            # After a loop: the branch is in a cycle with the block of an operand, and the use is not.
            if any(home in self.reached(end) and end in self.reached(home) and not (home in self.reached(block) and block in self.reached(home))
                   for home in homes if block != home):
                suspects.add(end)
        if suspects & parted_to_us:
            return f"a join of {sorted(suspects & parted_to_us)[0]}: {text[:100]}"
        if suspects:
            return "join"
        return "undefined" if "undef" in text or "poison" in text else f"nothing that is known: {text[:120]}"

    def reached(self, block):
        """Returns the blocks that are reachable from a block, including itself."""
        if block not in self.reachable:
            self.reachable[block] = self.reaches([block])
        return self.reachable[block]

    def before(self, block):
        """Returns the blocks between the immediate dominator of a block and the block."""
        if block not in self.between:
            entry = next(iter(self.successors))
            above = [each for each in self.reached(entry) if block in self.reached(each) and each != block]
            dominators = [each for each in above if block not in self.reaches([entry], {each})]
            nearest = entry
            for each in dominators:
                # This dominator is below the nearest one so far if all paths to it pass that one.
                if each not in self.reaches([entry], {nearest}):
                    nearest = each
            self.between[block] = self.reaches([nearest], {block})
        return self.between[block]


def module_of(given, path, more, folder):
    """Returns the kernels of a source by clang and LLVM, or the reason why there are none."""
    at = lambda name: os.path.join(folder, name)
    done = run([given.clang, *clang_arguments(given), *more, path, "-o", at("1.ll")], given.seconds)
    if done.returncode:
        return None, "not accepted by clang: " + (re.findall(r"error: .*", done.stderr) or [done.stderr[-200:]])[0]
    with open(at("1.ll")) as file:
        text = file.read()
    kernels = kernels_of(text)
    if not kernels:
        return None, "without kernels"
    with open(at("2.ll"), "w") as file:
        file.write(inlined_always(text))
    keep = ";".join(f"preserve-gv={name}" for name in kernels)
    passes = f"lower-expect,lower-constant-intrinsics,sroa),always-inline,internalize<{keep}>,globaldce,function(sroa"
    steps = [["-passes=nvvm-reflect"]] if given.dialect == "cuda" else []
    steps += [[f"-passes=function({passes})"]]
    steps += [["-nvptx-lower-args"]] if given.dialect == "cuda" else []
    steps += [["-passes=function(sroa,infer-address-spaces)"]]
    was = at("2.ll")
    for number, step in enumerate(steps):
        done = run([given.opt, *step, "-S", was, "-o", at(f"s{number}.ll")], given.seconds)
        if done.returncode:
            return None, "not read by opt: " + done.stderr[:200]
        was = at(f"s{number}.ll")
    with open(was) as file:
        text = file.read()
    if given.dialect == "cuda":
        text = without_calls(text)
    with open(at("last.ll"), "w") as file:
        file.write(text)
    # Locations come from the text, by block, because the printed output numbers metadata differently.
    done = run([given.opt, "-strip-debug", "-passes=print<uniformity>", "-disable-output", at("last.ll")], given.seconds)
    if done.returncode:
        return None, "not read by opt: " + done.stderr[-300:]
    if given.keep:
        with open(given.keep, "w") as file:
            file.write(text + "\n" + done.stderr)
    return Module(text, done.stderr, os.path.realpath(path)), None


def ours(given, path, more):
    told = [each for each in more if re.match(r"-[ID]", each)]
    show = run([given.tangle, "show", "--what", "uniformity", "--format", "json", "--dialect", given.dialect, *told, path], given.seconds)
    return json.loads(show.stdout) if show.returncode == 0 else None


def pairs(theirs, ours_):
    """Returns pairs of corresponding branches of one function."""
    found, left, free = [], [], list(ours_)
    # For clang, an operand of `&&` has the location of the operator; for `tangle`, its own. The order is the same, but
    # not always the line.
    for kind in {branch.kind for branch in theirs}:
        group = sorted((branch for branch in theirs if branch.kind == kind), key=lambda branch: branch.place)
        mine = sorted((one for one in free if one["kind"] == kind), key=lambda one: (one["line"], one["column"]))
        if len(group) == len(mine) and all(-2 <= one["line"] - branch.place[0] <= 8 for branch, one in zip(group, mine)):
            found += zip(group, mine)
            free = [one for one in free if one["kind"] != kind]
        else:
            left += group
    # An instance of a template does not have all branches.
    for line, kind in sorted({(branch.place[0], branch.kind) for branch in left}):
        group = sorted((branch for branch in left if (branch.place[0], branch.kind) == (line, kind)), key=lambda branch: branch.place)
        mine = sorted((one for one in free if (one["line"], one["kind"]) == (line, kind)), key=lambda one: one["column"])
        if len(group) == len(mine) and kind not in ("and", "or"):
            found += zip(group, mine)
            left = [branch for branch in left if branch not in group]
            free = [one for one in free if one not in mine]
    for branch in left:
        near = [one for one in free if one["kind"] == branch.kind and -2 <= one["line"] - branch.place[0] <= 8]
        if near and len({one["subgroup"] for one in near}) == 1:
            found.append((branch, min(near, key=lambda one: abs(one["line"] - branch.place[0]))))
            free.remove(found[-1][1])
    return found


def compare(given, path, more):
    """Returns the counts and differences of one file."""
    figures, differences = Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        try:
            module, why = module_of(given, path, more, folder)
            shown = ours(given, path, more) if module else None
        except (subprocess.TimeoutExpired, RecursionError, KeyError) as error:
            return {"file": path, "skipped": f"{type(error).__name__}"}
    if module is None:
        return {"file": path, "skipped": why}
    if shown is None:
        return {"file": path, "skipped": "not read by tangle"}
    named = defaultdict(list)
    for function in shown["functions"]:
        named[function["name"]].append(function)
    merged, kernels, alone = {}, set(), []
    for function in module.functions.values():
        name = function.described.split("<")[0]
        mine = [branch for one in named[name] for branch in one["branches"]]
        if name not in named:
            figures["kernels of headers, or without a counterpart"] += 1
            continue
        figures["instances"] += 1
        kernels.add(name)
        matched = pairs(function.branches, mine)
        figures["branches of LLVM"] += len(function.branches)
        figures["of these without a counterpart"] += len(function.branches) - len(matched)
        taken = {id(branch) for branch, _ in matched}
        alone += [(name, branch.place[0], branch.kind) for branch in function.branches if id(branch) not in taken]
        parted = {branch.block for branch, one in matched if one["subgroup"] == "divergent"}
        for branch, one in matched:
            known = merged.setdefault(id(one), [one, False, set(), name, function.name])
            known[1] |= branch.divergent
            if not branch.divergent and one["subgroup"] == "divergent":
                known[2].add(function.leans_on(branch))
            if branch.divergent and one["subgroup"] == "uniform":
                known[2] |= function.roots(branch, parted)
    figures["kernels"] = len(kernels)
    figures["kernels with branches that are compared"] = len({name for _, _, _, name, _ in merged.values()})
    for one, divergent, roots, name, instance in merged.values():
        figures["branches"] += 1
        own = one["subgroup"] == "divergent"
        if own == divergent:
            figures["both divergent" if own else "both uniform"] += 1
            continue
        if own:
            classes = [each for each in US_ALONE if each in roots][:1]
        elif one["workgroup"] == "divergent":
            classes = ["warp"]
        else:
            classes = sorted(roots)
        differences.append({"ours": one["subgroup"], "function": name, "line": one["line"], "column": one["column"], "kind": one["kind"],
                            "classes": classes, "cause": [(step["line"], step["what"]) for step in one["cause"]], "instance": instance})
    return {"file": path, "figures": figures, "differences": differences, "alone": alone}


def main():
    said = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    said.add_argument("file", nargs="?")
    said.add_argument("--tangle", required=True)
    said.add_argument("--dialect", choices=["cuda", "hip"], required=True)
    said.add_argument("--sdk", required=True, help="the folder of the SDK's headers")
    said.add_argument("--arch", help="the GPU that is compiled for (sm_80, gfx90a)")
    said.add_argument("--std", default="c++17")
    said.add_argument("--arg", action="append", default=[], help="a further argument for clang, such as --arg=-IFOLDER")
    said.add_argument("--clang", default="clang-19")
    said.add_argument("--opt", default="opt-19")
    said.add_argument("--keep", help="where to write the module that is analysed, and what LLVM prints of it")
    said.add_argument("--list", help="a file that names a source a line, and after tabs more arguments for clang")
    said.add_argument("--root", default="", help="the folder that the names of the list are below")
    said.add_argument("--kernels", type=int, default=10 ** 9, help="how many kernels of the list are enough")
    said.add_argument("--seed", type=int, help="take the list in an order that follows from this number")
    said.add_argument("--seconds", type=int, default=240, help="how long one program may take for one file")
    said.add_argument("--minutes", type=float, default=600, help="after how long no further file of the list is begun")
    said.add_argument("--json", help="where to write all differences")
    said.add_argument("-j", type=int, default=1, help="how many files of a list are read at once")
    given = said.parse_args()
    if given.file:
        work = [(given.file, given.arg)]
    else:
        with open(given.list) as file:
            split = [line.rstrip("\n").split("\t") for line in file if line.strip()]
        work = [(os.path.join(given.root, path), given.arg + more) for path, *more in split]
    if given.seed is not None:
        random.Random(given.seed).shuffle(work)
    total, skipped, found, at, begun = Counter(), Counter(), [], 0, time.monotonic()
    with concurrent.futures.ThreadPoolExecutor(given.j) as pool:
        while at < len(work) and total["kernels"] < given.kernels and time.monotonic() < begun + given.minutes * 60:
            part = work[at:at + given.j]
            at += len(part)
            for result in pool.map(lambda one: compare(given, *one), part):
                if "skipped" in result:
                    skipped[result["skipped"].split(":")[0]] += 1
                    print(f"skipped {os.path.relpath(result['file'], given.root or '.')}: {result['skipped']}", file=sys.stderr, flush=True)
                    continue
                total["files"] += 1
                for name, line, kind in result["alone"]:
                    print(f"without a counterpart: {os.path.relpath(result['file'], given.root or '.')}:{line}: {kind} of {name}", file=sys.stderr)
                total.update(result["figures"])
                found += [{"file": os.path.relpath(result["file"], given.root or ".")} | each for each in result["differences"]]
    for name, count in list(total.items()) + [(f"files {why}", count) for why, count in skipped.items()]:
        print(f"{count:6} {name}")
    return judge(given, found)


def judge(given, found):
    if given.json:
        with open(given.json, "w") as file:
            json.dump(found, file, indent=1)
    for verdict in ("uniform", "divergent"):
        part = [each for each in found if each["ours"] == verdict]
        print(f"{len(part):6} {verdict} to us alone")
        for name, count in Counter(name for each in part for name in each["classes"]).most_common():
            print(f"       {count:5} {name}: {(US_ALONE | LLVM_ALONE).get(name, '')}")
    unknown = [each for each in found if not set(each["classes"]) <= set(LLVM_ALONE if each["ours"] == "uniform" else US_ALONE)]
    for each in [each for each in found if each["ours"] == "divergent"] + [each for each in unknown if each["ours"] == "uniform"]:
        ends = f"by {each['cause'][-1][1]} of line {each['cause'][-1][0]}" if each["cause"] else ""
        print(f"{each['file']}:{each['line']}:{each['column']}: {each['kind']} of {each['function']}: {', '.join(each['classes'])} {ends}")
    return 1 if unknown else 0


if __name__ == "__main__":
    sys.exit(main())
