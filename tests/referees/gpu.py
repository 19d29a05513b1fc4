#!/usr/bin/env python3
"""Executes lowered kernels on a GPU of NVIDIA, and compares the memory with that of the C++ emulation.

    tangle lower --target nvptx64 tests/executions/emulation/kernels.cu -o kernels.ll
    llc-19 -mcpu=sm_80 -mattr=+ptx78 kernels.ll -o kernels.ptx
    target/tmp/emulation/all > expected.txt
    tests/referees/gpu.py kernels.ptx expected.txt

`target/tmp/emulation/all` is the program that `cargo test --test executions emulation` leaves. A line of its output has a
kernel, the number of rows of a block, and the words of the memory after a launch of two blocks of 64 threads. The script
needs the driver of the GPU, `libcuda.so.1`, and `c++filt`.
"""

import ctypes
import re
import struct
import subprocess
import sys

COUNT = 256
SHARED_BYTES = 4096

driver = ctypes.CDLL("libcuda.so.1")


def call(function, *arguments):
    error = getattr(driver, function)(*arguments)
    if error:
        text = ctypes.c_char_p()
        driver.cuGetErrorString(error, ctypes.byref(text))
        sys.exit(f"{function}: {(text.value or b'unknown error').decode()}")


def module_of(ptx):
    device, context, module = ctypes.c_int(), ctypes.c_void_p(), ctypes.c_void_p()
    call("cuInit", 0)
    call("cuDeviceGet", ctypes.byref(device), 0)
    call("cuDevicePrimaryCtxRetain", ctypes.byref(context), device)
    call("cuCtxSetCurrent", context)
    call("cuModuleLoadData", ctypes.byref(module), ptx.encode() + b"\0")
    return module


def symbols_of(ptx):
    """Returns the symbol of each kernel, by its name with template arguments."""
    symbols = re.findall(r"\.visible \.entry (\w+)", ptx)
    plain = subprocess.run(["c++filt"], input="\n".join(symbols), capture_output=True, text=True, check=True)
    names = [line.split("(")[0].removeprefix("void ") for line in plain.stdout.splitlines()]
    return dict(zip(names, symbols))


def allocated(data):
    address = ctypes.c_uint64()
    call("cuMemAlloc_v2", ctypes.byref(address), len(data))
    return address


def executed(module, symbol, rows, arrays):
    """Launches a kernel, and returns the words of the first and the last array."""
    function = ctypes.c_void_p()
    call("cuModuleGetFunction", ctypes.byref(function), module, symbol.encode())
    for address, data in arrays:
        call("cuMemcpyHtoD_v2", address, data, len(data))
    number = ctypes.c_int(23)
    values = [address for address, _ in arrays] + [number]
    pointers = (ctypes.c_void_p * 4)(*[ctypes.addressof(value) for value in values])
    call("cuLaunchKernel", function, 2, 1, 1, 64 // rows, rows, 1, SHARED_BYTES, None, pointers, None)
    call("cuCtxSynchronize")
    words = []
    for address, data in (arrays[0], arrays[2]):
        memory = ctypes.create_string_buffer(len(data))
        call("cuMemcpyDtoH_v2", memory, address, len(data))
        words += struct.unpack(f"{COUNT}i", memory.raw)
    return words


def main():
    with open(sys.argv[1]) as file:
        ptx = file.read()
    module, symbols = module_of(ptx), symbols_of(ptx)
    contents = [
        struct.pack(f"{COUNT}i", *[(i * 37 + 11) % 64 - 8 for i in range(COUNT)]),
        struct.pack(f"{COUNT}i", *[(i * i + 5 * i) % 97 for i in range(COUNT)]),
        struct.pack(f"{COUNT}f", *[(i * 29 % 64) / 4 - 5 for i in range(COUNT)]),
    ]
    arrays = [(allocated(data), data) for data in contents]
    same, wrong = 0, []
    with open(sys.argv[2]) as file:
        for line in file:
            name, rows, expected = line.rstrip().split("\t")
            symbol = symbols.get(name) or symbols.get(name.replace("long long", "long"))
            if not symbol:
                wrong.append(f"{name}: not lowered")
                continue
            found = executed(module, symbol, int(rows), arrays)
            differing = [at for at, pair in enumerate(zip(found, map(int, expected.split()))) if pair[0] != pair[1]]
            if differing:
                wrong.append(f"{name}, {rows} rows: {len(differing)} words differ, first word {differing[0]}")
            else:
                same += 1
    print(f"{same} launches compute the same")
    print("\n".join(wrong))
    return bool(wrong)


if __name__ == "__main__":
    sys.exit(main())
