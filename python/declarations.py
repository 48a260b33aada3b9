#!/usr/bin/env python3
"""Writes the ctypes declarations of the C library, made from its headers.

    declarations.py COMPILER INCLUDE_FOLDER python VERSION > declarations
    declarations.py COMPILER INCLUDE_FOLDER c VERSION > layout.c

`python` gives the module bhemu/_declarations.py: the VERSION of the library, enumerations as constants, structs as
ctypes structures, callbacks as ctypes function types, and FUNCTIONS, the result and argument types of each function by
its name. `c` gives a program that prints the sizes of all structs, the offsets of their members and the values of all
constants as the compiler has them, which a test compares. COMPILER preprocesses only. Needs pycparser.
"""
import subprocess
import sys
import tempfile
from pathlib import Path

from pycparser import c_ast, c_parser

SYSTEM = """
typedef signed char int8_t; typedef short int16_t; typedef int int32_t; typedef long long int64_t;
typedef unsigned char uint8_t; typedef unsigned short uint16_t; typedef unsigned int uint32_t;
typedef unsigned long long uint64_t; typedef unsigned long size_t; typedef int sig_atomic_t; typedef _Bool bool;
"""
HEADERS = {"stdint.h": "", "stdbool.h": "", "stddef.h": "", "signal.h": SYSTEM}
SCALARS = {
    "_Bool": "c_bool", "bool": "c_bool", "char": "c_char", "int": "c_int", "unsigned": "c_uint",
    "unsigned int": "c_uint", "double": "c_double", "float": "c_float", "size_t": "c_size_t", "sig_atomic_t": "c_int",
    **{f"{sign}int{bits}_t": f"c_{sign}int{bits}" for sign in ("", "u") for bits in (8, 16, 32, 64)},
}


def preprocess(compiler, include):
    """The text of all headers, without what the system's headers would add."""
    with tempfile.TemporaryDirectory() as folder:
        for name, text in HEADERS.items():
            Path(folder, name).write_text(text)
        names = sorted(path.name for path in Path(include, "bhemu").glob("*.h"))
        source = "#include <signal.h>\n" + "".join(f"#include <bhemu/{name}>\n" for name in names)
        command = [*compiler.split(), "-E", "-P", "-nostdinc", "-D__attribute__(x)=", "-I", folder, "-I", include, "-"]
        return subprocess.run(command, input=source, capture_output=True, text=True, check=True).stdout


class Declarations:
    """What the headers declare, in their order."""

    def __init__(self, text):
        self.constants, self.structs, self.functions, self.typedefs = {}, {}, {}, {}
        for item in c_parser.CParser().parse(text).ext:
            if isinstance(item, c_ast.Typedef):
                self.typedefs[item.name] = item.type
            elif isinstance(item, c_ast.Decl) and isinstance(item.type, c_ast.FuncDecl):
                self.functions[item.name] = item.type
            else:
                self.collect(item)

    def collect(self, node):
        """Constants of enumerations and members of structs that are defined at or below a node."""
        if isinstance(node, c_ast.Enum) and node.values:
            value = -1
            for item in node.values.enumerators:
                value = self.evaluate(item.value) if item.value else value + 1
                self.constants[item.name] = value
        for _, child in node.children():
            self.collect(child)
        if isinstance(node, c_ast.Union): # of which there is one without a name, in a struct
            node.name = node.name or f"union_{len(self.structs)}"
        if isinstance(node, (c_ast.Struct, c_ast.Union)) and node.decls:
            self.structs[node.name] = node

    def evaluate(self, node):
        """The value of a constant expression."""
        if isinstance(node, c_ast.Constant):
            return int(node.value.rstrip("uUlL"), 0)
        if isinstance(node, c_ast.ID):
            return self.constants[node.name]
        if isinstance(node, c_ast.UnaryOp) and node.op == "-":
            return -self.evaluate(node.expr)
        if isinstance(node, c_ast.BinaryOp):
            left, right = self.evaluate(node.left), self.evaluate(node.right)
            return {"+": left + right, "-": left - right, "*": left * right, "|": left | right,
                    "<<": left << right if right >= 0 else 0}[node.op]
        raise SystemExit(f"{node.coord}: an expression of a kind that is not supported")

    def type(self, node, argument=False):
        """The ctypes type, as text."""
        if isinstance(node, c_ast.Union):
            return node.name
        if isinstance(node, c_ast.TypeDecl):
            inner = node.type
            if isinstance(inner, c_ast.Enum):
                return "c_int"
            if isinstance(inner, c_ast.Struct):
                return inner.name
            name = " ".join(inner.names)
            return "None" if name == "void" else SCALARS[name]
        if isinstance(node, c_ast.ArrayDecl):
            if argument:
                return f"POINTER({self.type(node.type)})"
            return f"{self.type(node.type)} * {self.evaluate(node.dim)}"
        if isinstance(node, c_ast.FuncDecl):
            return self.prototype(node, "CFUNCTYPE")
        to = node.type
        if isinstance(to, c_ast.FuncDecl):
            return self.type(to)
        if isinstance(to, c_ast.TypeDecl):
            if isinstance(to.type, c_ast.Struct):
                return f"POINTER({to.type.name})" if to.type.name in self.structs else "c_void_p"
            names = getattr(to.type, "names", None)
            if names == ["char"]:
                return "c_char_p" if "const" in to.quals else "c_void_p"
            if names == ["void"]:
                return "c_void_p"
            if names and names[0] in self.typedefs and names[0] not in SCALARS:
                return self.type(self.typedefs[names[0]])
        return f"POINTER({self.type(to)})"

    def arguments(self, node):
        """The ctypes types of a function's arguments, and whether others may follow."""
        parameters = node.args.params if node.args else []
        fixed = [item for item in parameters if not isinstance(item, c_ast.EllipsisParam)]
        types = [self.type(item.type, argument=True) for item in fixed]
        return ([] if types == ["None"] else types), len(fixed) != len(parameters)

    def prototype(self, node, maker):
        arguments, _ = self.arguments(node)
        return f"{maker}({', '.join([self.type(node.type), *arguments])})"


def write_python(found, version):
    print('"""Declarations of the C library. Made from its headers; changes here are lost."""')
    print("from ctypes import CFUNCTYPE, POINTER, Structure, Union")
    print(f"from ctypes import c_char_p, c_void_p, {', '.join(sorted(set(SCALARS.values())))}\n")
    print(f'VERSION = "{version}"')
    for name, value in found.constants.items():
        print(f"{name} = {value}")
    print()
    for name, node in found.structs.items():
        print(f"\nclass {name}({type(node).__name__.replace('Struct', 'Structure')}):\n    pass\n")
    for name, node in found.structs.items():
        unnamed = [member.type.name for member in node.decls if not member.name]
        print(f"\n{name}._anonymous_ = {unnamed}" if unnamed else "")
        print(f"{name}._fields_ = [")
        for member in node.decls:
            width = f", {found.evaluate(member.bitsize)}" if member.bitsize else ""
            print(f'    ("{member.name or member.type.name}", {found.type(member.type)}{width}),')
        print("]")
    print("\nFUNCTIONS = {")
    for name, node in found.functions.items():
        arguments, more = found.arguments(node)
        if not more:
            print(f'    "{name}": ({found.type(node.type)}, [{", ".join(arguments)}]),')
    print("}")


def write_c(found, include):
    for path in sorted(Path(include, "bhemu").glob("*.h")):
        print(f"#include <bhemu/{path.name}>")
    print("#include <stddef.h>\n#include <stdio.h>\nint main(void)\n{")
    for name in found.constants:
        print(f'    printf("{name} %lld\\n", (long long){name});')
    for name, node in found.structs.items():
        if isinstance(node, c_ast.Union):
            continue
        print(f'    printf("{name} %zu\\n", sizeof(struct {name}));')
        for member in node.decls:
            if member.name and not member.bitsize:
                print(f'    printf("{name}.{member.name} %zu\\n", offsetof(struct {name}, {member.name}));')
    print("    void (*volatile function)(void);")  # so that the library has to have it
    for name in found.functions:
        print(f'    function = (void (*)(void)){name};\n    printf("{name} %d\\n", function != NULL);')
    print("    return 0;\n}")


def main():
    if len(sys.argv) != 5 or sys.argv[3] not in ("python", "c"):
        raise SystemExit(__doc__)
    compiler, include, what, version = sys.argv[1:]
    found = Declarations(preprocess(compiler, include))
    if what == "python":
        write_python(found, version)
    else:
        write_c(found, include)


if __name__ == "__main__":
    main()
