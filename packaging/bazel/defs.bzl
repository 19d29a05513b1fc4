"""Lint kernels with tangle: one action for each target, which Bazel caches and can execute remotely.

In `tools/lint.bzl` of your repository:

    load("@tangle//:defs.bzl", "tangle_lint_aspect")
    tangle = tangle_lint_aspect(binary = Label("//tools:tangle"), config = Label("//:tangle.toml"))

Then `bazel build //... --aspects=//tools:lint.bzl%tangle --output_groups=tangle_report` makes a SARIF file for each
target with kernels. With `fail_on_findings = True` the action fails instead of only writing the report.
"""

_EXTENSIONS = ["cl", "clh", "ocl", "opencl", "cu", "cuh", "hip"]

def _files(rule, names):
    found = []
    for name in names:
        for target in getattr(rule.attr, name, None) or []:
            if type(target) == "Target":
                found += target.files.to_list()
    return found

def _tangle_impl(target, ctx):
    sources = _files(ctx.rule, ctx.attr._source_attributes)
    kernels = [
        file
        for file in sources
        if file.is_source and file.extension in _EXTENSIONS
    ]
    if not kernels:
        return [OutputGroupInfo(tangle_report = depset())]

    # Sources can include each other, headers of the target, and headers of targets that it depends on.
    direct = sources + _files(ctx.rule, ctx.attr._header_attributes) + ctx.files._config + ctx.files._baseline
    transitive = []
    arguments = ctx.actions.args()
    if CcInfo in target:
        context = target[CcInfo].compilation_context
        transitive.append(context.headers)
        for folders in [context.includes, context.quote_includes, context.system_includes]:
            arguments.add_all(folders, before_each = "-I")
        for macros in [context.defines, context.local_defines]:
            arguments.add_all(macros, before_each = "-D")

    report = ctx.actions.declare_file(target.label.name + ".tangle.sarif")
    arguments.add_all(ctx.files._config, before_each = "--config")
    # The action reads only files that Bazel knows.
    if ctx.files._baseline:
        arguments.add("--baseline", ctx.files._baseline[0])
    else:
        arguments.add("--no-baseline")
    arguments.add_all(kernels)

    # The report comes first, whatever the findings. The second run prints them, and fails.
    command = '"$1" lint --quiet --fail-on never --format sarif --output-file "$2" "${@:3}"'
    if ctx.attr._fail_on_findings:
        command += ' && "$1" lint --quiet "${@:3}"'
    ctx.actions.run_shell(
        command = command,
        arguments = [ctx.executable._binary.path, report.path, arguments],
        tools = [ctx.executable._binary],
        inputs = depset(direct, transitive = transitive),
        outputs = [report],
        mnemonic = "TangleLint",
        progress_message = "Linting kernels of %s" % target.label,
    )
    return [OutputGroupInfo(tangle_report = depset([report]))]

def tangle_lint_aspect(
        binary,
        config = None,
        baseline = None,
        fail_on_findings = False,
        source_attributes = ["srcs"],
        header_attributes = ["hdrs", "textual_hdrs", "data"]):
    """Returns an aspect that lints the kernels of a target.

    Args:
        binary: the program `tangle`, as a `Label`.
        config: the `Label` of a `tangle.toml`, or None.
        baseline: the `Label` of a `tangle-baseline.json`, or None.
        fail_on_findings: whether a finding at or above `fail-on` fails the build.
        source_attributes: attributes with kernels.
        header_attributes: attributes with files that kernels include.

    Returns:
        The aspect. Its output group `tangle_report` has the SARIF file of each target.
    """
    return aspect(
        implementation = _tangle_impl,
        attrs = {
            "_baseline": attr.label_list(default = [baseline] if baseline else [], allow_files = True),
            "_binary": attr.label(default = binary, executable = True, allow_single_file = True, cfg = "exec"),
            "_config": attr.label_list(default = [config] if config else [], allow_files = True),
            "_fail_on_findings": attr.bool(default = fail_on_findings),
            "_header_attributes": attr.string_list(default = header_attributes),
            "_source_attributes": attr.string_list(default = source_attributes),
        },
    )
