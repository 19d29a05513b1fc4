#!/usr/bin/env python3
"""Finds the kernels of a CUDA or HIP source and the collective operations in its device functions, by clang's AST.

    cuda_ast.py --dialect cuda --sdk FOLDER FILE                     one file, JSON
    cuda_ast.py --dialect hip --sdk FOLDER --root FOLDER --list LIST many files, a line of JSON each (-j 2: two at a time)

The facts that `tangle` finds in a source are compared with this output, so the script does not use `tangle`. It needs
the shared library of clang 19 (Debian: `libclang1-19` and `libclang-common-19-dev`), its Python bindings (`pip install
clang==19.1.7`) and, for files that clang rejects, `pip install tree-sitter tree-sitter-cuda`. The SDK is a folder of
headers. Each further `--arg` is passed to clang.

The location of a call is the name of its callee (`line`, `column`); `begin` is the start of the whole call. All
locations are in the original file and count from 1; columns count bytes. A call from a macro has the location of the
macro's use. The body of a template is read once, in its definition; instances are not counted. A callee in a template
may depend on a parameter. Then only its spelling is known, and `dependent` is true.
"""

import argparse
import concurrent.futures
import ctypes
import json
import os
import re
import subprocess
import sys

# Names that identify an operation, regardless of their declaration.
NAMES = [
    ("barrier", r"__syncthreads(_count|_and|_or)?|__barrier_sync(_count)?|__cluster_barrier_\w+|__builtin_amdgcn_(s_|wave_)barrier\w*"),
    ("barrier", r"__nvvm_bar(rier)?\w*"),
    ("warp", r"__syncwarp|__activemask|__shfl(_\w+)?|__(ballot|any|all)(_sync)?|__match_(any|all)(_sync)?|__reduce_\w+_sync"),
    ("warp", r"__builtin_amdgcn_(ds_b?permute|ds_bpermute|ds_swizzle|(mov|update)_dpp\w*|readlane|readfirstlane|ballot_w\d+|permlane\w+)"),
    ("warp", r"__hip_ds_\w+|__nvvm_(shfl|vote|match|redux)_\w+|__ockl_(wfred|wfscan|activelane)\w*"),
]
NAMES = [(kind, re.compile(pattern + r"\Z")) for kind, pattern in NAMES]

# Names that identify an operation if they are declared in one of these namespaces.
IN_NAMESPACE = {
    "cooperative_groups": [
        ("group", "sync barrier_arrive barrier_wait shfl shfl_up shfl_down shfl_xor any all ballot match_any match_all reduce inclusive_scan "
         "exclusive_scan inclusive_scan_update exclusive_scan_update invoke_one invoke_one_broadcast wait wait_prior memcpy_async"),
        ("partition", "tiled_partition labeled_partition binary_partition coalesced_threads"),
    ],
    "nvcuda": [("warp", "load_matrix_sync store_matrix_sync mma_sync fill_fragment")],
    "cuda": [("object", "arrive arrive_and_wait arrive_and_drop wait wait_parity consumer_wait consumer_release producer_acquire "
              "producer_commit memcpy_async")],
}
CUB = set(
    "Reduce Sum AllReduce HeadSegmentedSum TailSegmentedSum HeadSegmentedReduce TailSegmentedReduce InclusiveSum ExclusiveSum InclusiveScan "
    "ExclusiveScan Scan Broadcast Load Store Sort SortDescending SortBlockedToStriped SortDescendingBlockedToStriped StableSort Histogram "
    "Composite RankKeys FlagHeads FlagTails FlagHeadsAndTails SubtractLeft SubtractRight BlockedToStriped StripedToBlocked "
    "WarpStripedToBlocked BlockedToWarpStriped ScatterToBlocked ScatterToStriped ScatterToStripedFlagged ScatterToStripedGuarded Up Down "
    "Offset Rotate RunLengthDecode".split())
# Operations of groups and objects whose type depends on a template parameter. Names that containers also have are omitted.
DEPENDENT_GROUP = set("sync barrier_arrive barrier_wait shfl shfl_up shfl_down shfl_xor any all ballot match_any match_all".split())
DEPENDENT_OBJECT = {"arrive_and_wait", "consumer_wait", "producer_acquire"}

# Collective instructions of PTX and of AMD assembly.
ASSEMBLY = re.compile(r"(bar|barrier)(\.cta|\.cluster|\.warp)?\.(sync|arrive|red|wait)[\w.]*|(shfl|vote|match|redux)\.\w[\w.]*"
                      r"|activemask[\w.]*|mbarrier\.\w[\w.]*|elect\.sync|wgmma\.\w+[\w.]*|mma\.sync[\w.]*|ldmatrix\.sync[\w.]*"
                      r"|\bs_barrier\w*|ds_b?permute\w*|v_readlane\w*|v_readfirstlane\w*|_dpp\b")


def kind_of_name(name):
    return next((kind for kind, pattern in NAMES if pattern.match(name)), None)


def kind_in(name, namespaces):
    """Returns the kind of a function `name` that is declared in `namespaces`, or None."""
    for space, kinds in IN_NAMESPACE.items():
        if space in namespaces:
            return next((kind for kind, names in kinds if name in names.split()), None)
    if ("cub" in namespaces or "hipcub" in namespaces) and name in CUB:
        return "cub"
    return None


def kind_of_dependent(name, member):
    """Returns the kind of a function whose declaration is unknown, or None."""
    if name in DEPENDENT_GROUP:
        return "group"
    if member and name in DEPENDENT_OBJECT:
        return "object"
    return "cub" if member and name in CUB else None


def clang_arguments(given):
    """Returns the arguments with which clang compiles only for the device."""
    if given.dialect == "cuda":
        told = ["-x", "cuda", "--cuda-device-only", f"--cuda-gpu-arch={given.arch or 'sm_80'}", f"--cuda-path={given.sdk}"]
        # Some SDK folders have a header with the declarations that nvcc predefines.
        if os.path.exists(os.path.join(given.sdk, "include", "nvcc.h")):
            told += ["-include", "nvcc.h"]
    else:
        told = ["-x", "hip", "--cuda-device-only", f"--offload-arch={given.arch or 'gfx90a'}", "-nogpulib",
                f"--rocm-path={given.sdk}/usr", f"--hip-path={given.sdk}/usr"]
    # The library alone does not find clang's own headers for each dialect, and then rejects valid sources.
    brought = subprocess.run([given.clang, "-print-resource-dir"], capture_output=True, text=True, check=True).stdout.strip()
    return told + ["-resource-dir", brought, f"-std={given.std}", "-w"] + given.arg


def last_name(text):
    """Returns the last name in the text of a callee, with its offset: `sync` of `g.template sync<4>`."""
    text = re.sub(r"/\*.*?\*/|//[^\n]*", " ", text, flags=re.S).rstrip()
    if text.endswith(">"):
        depth = 0
        for at in range(len(text) - 1, -1, -1):
            depth += {">": 1, "<": -1}.get(text[at], 0)
            if depth == 0:
                text = text[:at].rstrip()
                break
    found = re.search(r"[A-Za-z_]\w*\Z", text)
    return (found.group(0), found.start()) if found else ("", 0)


class ClangReader:
    """Visits the cursors of one translation unit that are in one file: the main file, or a file that it includes."""

    def __init__(self, given, path):
        import clang.cindex
        self.cindex = clang.cindex
        self.kinds = clang.cindex.CursorKind
        clang.cindex.Config.set_library_file(given.libclang)
        with open(path, "rb") as file:
            self.text = file.read()
        self.unit = unit = clang.cindex.Index.create().parse(given.through or path, args=clang_arguments(given))
        # Clang names an included file by the path through which it was found.
        included = [included.include.name for included in unit.get_includes() if os.path.exists(included.include.name)]
        self.included = given.through is not None
        self.path = next((name for name in [given.through or path] + included if os.path.samefile(name, path)), None)
        self.spelling_location = clang.cindex.conf.lib.clang_getSpellingLocation
        self.spelling_location.restype = None
        self.other_files = {}
        self.kernels, self.calls, self.assembly, self.unnamed = [], [], [], []
        self.errors = [str(said) for said in unit.diagnostics if said.severity >= clang.cindex.Diagnostic.Error]
        if self.path is None:
            self.errors.append(f"{given.through} does not include {path}")

    def read(self):
        cursors = [(child, None, False) for child in self.unit.cursor.get_children()]
        around = (self.kinds.NAMESPACE, self.kinds.LINKAGE_SPEC) if self.included else ()
        cursors.reverse()
        while cursors:
            cursor, function, device = cursors.pop()
            kind = cursor.kind
            place = cursor.location
            # A block can contain included text, so each cursor is checked. Implicit nodes have no location, but can
            # have children.
            if place.file is not None and place.file.name != self.path and kind not in around:
                continue
            if self.is_function(cursor):
                if self.is_instance(cursor):
                    continue
                marks = {child.kind for child in cursor.get_children()}
                kernel = self.kinds.CUDAGLOBAL_ATTR in marks
                # The functions of a local class have their own attributes. A lambda has the attributes of the enclosing
                # function.
                device = kernel or self.kinds.CUDADEVICE_ATTR in marks
                function = cursor.spelling
                if kernel and cursor.is_definition():
                    self.kernels.append({"name": function.split("<")[0], "line": place.line, "column": place.column,
                                         "template": kind == self.kinds.FUNCTION_TEMPLATE})
            elif kind == self.kinds.LAMBDA_EXPR and not device:
                device = b"__device__" in self.text[cursor.extent.start.offset:cursor.extent.end.offset].split(b"{")[0]
            elif kind == self.kinds.CALL_EXPR:
                self.call(cursor, function, device)
            elif kind.name in ("ASM_STMT", "MS_ASM_STMT"):
                self.asm(cursor, function)
            children = [(child, function, device) for child in cursor.get_children()]
            children.reverse()
            cursors += children

    def is_function(self, cursor):
        return cursor.kind in (self.kinds.FUNCTION_DECL, self.kinds.FUNCTION_TEMPLATE, self.kinds.CXX_METHOD, self.kinds.CONSTRUCTOR,
                               self.kinds.DESTRUCTOR, self.kinds.CONVERSION_FUNCTION)

    def is_instance(self, cursor):
        """Returns whether the function is an instance of a template, which is read in its definition instead."""
        if cursor.kind == self.kinds.FUNCTION_TEMPLATE:
            return False
        template = self.cindex.conf.lib.clang_getSpecializedCursorTemplate(cursor)
        return template is not None and template.kind != self.kinds.INVALID_FILE and template.location.offset == cursor.location.offset

    def call(self, cursor, function, device):
        callee = next(cursor.get_children(), None)
        # Implicit casts around a callee have no text of their own.
        while callee is not None and callee.kind in (self.kinds.UNEXPOSED_EXPR, self.kinds.PAREN_EXPR):
            inner = list(callee.get_children())
            if not inner:
                break
            callee = inner[-1] if len(inner) == 1 else inner[0]
        if callee is None or callee.kind not in (self.kinds.DECL_REF_EXPR, self.kinds.MEMBER_REF_EXPR):
            return
        # An operator with dependent operands is a call without a name. Its first operand is not a callee.
        if not self.is_macro(callee) and not re.match(rb"[\s)]*(/\*.*?\*/\s*)?(<<<.*?>>>\s*)?\(", self.text[callee.extent.end.offset:], re.S):
            return
        member = callee.kind == self.kinds.MEMBER_REF_EXPR
        place = callee.location
        overloads = [child for child in callee.get_children() if child.kind == self.kinds.OVERLOADED_DECL_REF]
        dependent, declared, namespaces = False, bool(callee.spelling or overloads), set()
        if callee.spelling:
            name, namespaces = callee.spelling, self.namespaces(callee.referenced)
        elif overloads:
            named = overloads[-1]
            name, place, dependent = named.spelling, named.location, True
            lib = self.cindex.conf.lib
            for each in range(lib.clang_getNumOverloadedDecls(named)):
                namespaces |= self.namespaces(lib.clang_getOverloadedDecl(named, each))
        else:
            name, place, dependent = *self.written(cursor, callee), True
        if name.startswith("operator"):
            return
        name = name.split("<")[0]
        kind = kind_of_name(name) or kind_in(name, namespaces)
        if not kind and not declared:
            # Host code has its own `any` and `all`, so a name without a declaration counts only in device code.
            kind = kind_of_dependent(name, member) if device else None
            if not name and device:
                self.unnamed.append({"line": cursor.location.line, "column": cursor.location.column, "function": function})
        if kind:
            start = cursor.extent.start
            self.calls.append({"callee": name, "line": place.line, "column": place.column, "function": function, "kind": kind,
                               "dependent": dependent, "begin": [start.line, start.column], "macro": self.is_macro(callee)})

    def namespaces(self, declared):
        """Returns the namespaces around a declaration."""
        found = set()
        while declared is not None and declared.kind != self.kinds.TRANSLATION_UNIT and not declared.kind.is_invalid():
            if declared.kind == self.kinds.NAMESPACE:
                found.add(declared.spelling)
            declared = declared.semantic_parent
        return found

    def spelled(self, location):
        """Returns the file and offset where the text of a location is spelled, possibly in the definition of a macro."""
        file, line, column, offset = self.cindex.c_object_p(), ctypes.c_uint(), ctypes.c_uint(), ctypes.c_uint()
        self.spelling_location(location, ctypes.byref(file), ctypes.byref(line), ctypes.byref(column), ctypes.byref(offset))
        return self.cindex.File(file).name if file else None, offset.value

    def is_macro(self, cursor):
        return self.spelled(cursor.extent.start) != (self.path, cursor.extent.start.offset)

    def written(self, cursor, callee):
        """Returns the name of a callee without a known declaration, from its text, and the location of the name."""
        start, end = callee.extent.start, callee.extent.end
        if not self.is_macro(callee):
            text = self.text[start.offset:end.offset]
            name, at = last_name(text.decode("latin-1"))
            return name, self.at(start.offset + at)
        # Within a macro, the end of an expression is unknown. So read the text from its start: an operand, then names
        # up to `(`.
        name, offset = self.spelled(start)
        found = re.match(rb"(?:\([^()]*\)|(?:[\w\s]|::|\[[^\[\]]*\]|\.|->|<[^;()]*>)+?)((?:[\w\s]|::|\.|->|<[^;()]*>)*)\(",
                         self.other(name)[offset:])
        return (last_name(found.group(0)[:-1].decode("latin-1"))[0] if found else ""), callee.location

    def other(self, name):
        if name == self.path:
            return self.text
        if name not in self.other_files:
            try:
                with open(name, "rb") as file:
                    self.other_files[name] = file.read()
            except (OSError, TypeError):
                self.other_files[name] = b""
        return self.other_files[name]

    def at(self, offset):
        file = self.unit.get_file(self.path)
        return self.cindex.SourceLocation.from_offset(self.unit, file, offset)

    def asm(self, cursor, function):
        text = " ".join(token.spelling for token in cursor.get_tokens())
        found = ASSEMBLY.search(text)
        if found:
            self.assembly.append({"text": found.group(0), "line": cursor.location.line, "column": cursor.location.column,
                                  "function": function})

    def result(self):
        order = lambda found: (found["line"], found["column"])
        return {"kernels": sorted(self.kernels, key=order), "calls": sorted(self.calls, key=order),
                "asm": sorted(self.assembly, key=order), "unnamed": self.unnamed}


def by_tree_sitter(text):
    """Finds kernels and calls by syntax alone, if clang rejects a file.

    Does not expand macros, and reads every branch of an `#if`.
    """
    import tree_sitter
    import tree_sitter_cuda
    parser = tree_sitter.Parser(tree_sitter.Language(tree_sitter_cuda.language()))
    tree = parser.parse(text)
    lines = line_numbers(text)
    kernels, calls, assembly, errors = [], [], [], 0
    nodes = [(tree.root_node, None, False)]
    while nodes:
        node, function, device = nodes.pop()
        errors += node.type == "ERROR" or node.is_missing
        row, column = node.start_point
        if node.type == "function_definition":
            body = node.child_by_field_name("body")
            head = text[node.start_byte:body.start_byte if body else node.end_byte].decode("latin-1")
            declarator = node.child_by_field_name("declarator")
            while declarator is not None and declarator.child_by_field_name("declarator") is not None:
                declarator = declarator.child_by_field_name("declarator")
            function = last_name(declarator.text.decode("latin-1"))[0] if declarator is not None else ""
            device = re.search(r"__device__|__global__|\w*DEVICE\w*", head) is not None
            if re.search(r"__global__", head) and declarator is not None:
                kernels.append({"name": function, "line": lines[declarator.start_point[0]], "column": declarator.start_point[1] + 1})
        elif node.type == "call_expression":
            callee = node.child_by_field_name("function")
            name, at = last_name(callee.text.decode("latin-1"))
            member = callee.type == "field_expression"
            kind = kind_of_name(name)
            if not kind and device:
                qualified = callee.type != "identifier"
                kind = kind_of_dependent(name, member) if qualified else None
                if not kind and re.match(r"(cg|cooperative_groups)\s*::", callee.text.decode("latin-1")):
                    kind = kind_in(name, {"cooperative_groups"})
            if kind:
                place = callee.start_byte + at
                before = text.rfind(b"\n", 0, place) + 1
                line = callee.start_point[0] + text[callee.start_byte:place].count(b"\n")
                calls.append({"callee": name, "line": lines[line], "column": place - before + 1, "function": function, "kind": kind,
                              "dependent": None, "begin": [lines[row], column + 1], "macro": False})
        elif "asm" in node.type and node.type != "asm":
            found = ASSEMBLY.search(node.text.decode("latin-1"))
            if found and node.type == "gnu_asm_expression":
                assembly.append({"text": found.group(0), "line": lines[row], "column": column + 1, "function": function})
        nodes += [(child, function, device) for child in reversed(node.children)]
    return {"kernels": kernels, "calls": calls, "asm": assembly, "error_nodes": errors}


def line_numbers(text):
    """Returns the original line number of each line. A preprocessed text contains it in lines such as `# 12 "file"`."""
    numbers, number = [], 1
    for line in text.split(b"\n"):
        numbers.append(number)
        said = re.match(rb'\s*#\s*(?:line\s+)?(\d+)\b', line)
        number = int(said.group(1)) if said else number + 1
    return numbers + [number]


def one(given, path):
    reader = ClangReader(given, path)
    # An error without a location concerns the call of clang, not the file.
    if any(re.match(r"(fatal )?error: (cannot find|no |unknown|invalid)", said) for said in reader.errors):
        sys.exit(reader.errors[0])
    if not reader.errors:
        reader.read()
        return {"accepted": True, "by": "clang"} | reader.result()
    answer = {"accepted": False, "by": "nobody", "errors": len(reader.errors), "first_error": reader.errors[0], "kernels": [], "calls": []}
    if given.text is None:
        text, answer["by"] = reader.text, "tree-sitter, raw text"
    else:
        with open(given.text, "rb") as file:
            text, answer["by"] = file.read(), "tree-sitter, given text"
    try:
        return answer | by_tree_sitter(text)
    except ImportError as missing:
        return answer | {"by": f"nobody: {missing}"}


def apart(given, line):
    """Reads one file of a list in a separate process, because clang can crash or run forever."""
    path, *more = line.split("\t")
    told = [sys.executable, os.path.abspath(__file__), "--dialect", given.dialect, "--sdk", given.sdk, "--std", given.std,
            "--clang", given.clang, "--libclang", given.libclang] + (["--arch", given.arch] if given.arch else [])
    told += [arg if arg.startswith("--through=") else f"--arg={arg}" for arg in given.arg + more]
    try:
        done = subprocess.run(told + [os.path.join(given.root, path)], capture_output=True, text=True, timeout=given.seconds)
        found = json.loads(done.stdout)
    except subprocess.TimeoutExpired:
        found = {"accepted": False, "by": f"nobody: more than {given.seconds} s", "kernels": [], "calls": []}
    except json.JSONDecodeError:
        found = {"accepted": False, "by": f"nobody: {done.stderr.strip()[-300:]}", "kernels": [], "calls": []}
    return found | {"file": path}


def main():
    said = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    said.add_argument("file", nargs="?")
    said.add_argument("--dialect", choices=["cuda", "hip"], required=True)
    said.add_argument("--sdk", required=True, help="the folder of the SDK's headers")
    said.add_argument("--arch", help="the GPU that is compiled for (sm_80, gfx90a)")
    said.add_argument("--std", default="c++17")
    said.add_argument("--arg", action="append", default=[], help="a further argument for clang, such as --arg=-IFOLDER")
    said.add_argument("--text", help="for one file: what tree-sitter reads in its place, with lines `# 12` that say where text came from")
    said.add_argument("--through", help="the source that includes the file, where the file does not compile by itself")
    said.add_argument("--clang", default="clang-19", help="the program, which knows where its own headers are")
    said.add_argument("--libclang", default="libclang-19.so.19", help="the shared library, a name or a file")
    said.add_argument("--list", help="a file that names a source a line, and after tabs more arguments for clang, or --through=SOURCE")
    said.add_argument("--root", default="", help="the folder that the names of the list are below")
    said.add_argument("--seconds", type=int, default=180, help="how long one file of a list may take")
    said.add_argument("-j", type=int, default=1, help="how many files of a list are read at once")
    given = said.parse_args()
    if given.list is None:
        if given.file is None:
            said.error("a FILE or a --list is wanted")
        print(json.dumps({"file": given.file} | one(given, given.file)))
        return
    with open(given.list) as file:
        lines = [line.strip() for line in file if line.strip()]
    with concurrent.futures.ThreadPoolExecutor(given.j) as pool:
        for found in pool.map(lambda line: apart(given, line), lines):
            print(json.dumps(found), flush=True)


if __name__ == "__main__":
    main()
