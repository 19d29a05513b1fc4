# tangle_lint(TARGET [SOURCES FILE...] [FORMAT sarif] [OPTIONS OPTION...])
#
# Adds the target `TARGET_lint`, which lints the kernels of TARGET: its sources with the extensions of OpenCL, CUDA and HIP, or
# SOURCES. A kernel is linted again only if it, a header that it includes, `tangle.toml` or the baseline has changed. The build
# fails for findings at or above `--fail-on`. `all_lint` depends on the lint targets of all targets.
#
# Include folders and macros come from the target. With FORMAT sarif, there is a file `NAME.sarif` for each kernel in
# `${CMAKE_CURRENT_BINARY_DIR}/TARGET_lint`, also if the kernel has findings. `TANGLE_EXECUTABLE` is the program.

cmake_minimum_required(VERSION 3.20)
find_program(TANGLE_EXECUTABLE NAMES tangle-lint tangle DOC "The linter for kernels")
set(_TANGLE_LINT_RUN "${CMAKE_CURRENT_LIST_DIR}/TangleLintRun.cmake")

function(tangle_lint target)
  cmake_parse_arguments(PARSE_ARGV 1 lint "" "FORMAT" "SOURCES;OPTIONS")
  if(lint_UNPARSED_ARGUMENTS)
    message(FATAL_ERROR "tangle_lint: unknown arguments: ${lint_UNPARSED_ARGUMENTS}")
  endif()
  if(NOT TANGLE_EXECUTABLE)
    message(FATAL_ERROR "tangle_lint: `tangle` was not found; set TANGLE_EXECUTABLE")
  endif()
  if(NOT lint_FORMAT)
    set(lint_FORMAT human)
  endif()
  if(NOT lint_SOURCES)
    get_target_property(lint_SOURCES ${target} SOURCES)
    list(FILTER lint_SOURCES INCLUDE REGEX "\\.(cl|ocl|opencl|cu|cuh|hip)$")
  endif()

  set(folder "${CMAKE_CURRENT_BINARY_DIR}/${target}_lint")
  file(MAKE_DIRECTORY "${folder}")
  get_target_property(type ${target} TYPE)
  set(build "")
  if(NOT type STREQUAL "UTILITY")
    set(kind "")
    if(type STREQUAL "INTERFACE_LIBRARY")
      set(kind "INTERFACE_")
    endif()
    set(includes "$<TARGET_PROPERTY:${target},${kind}INCLUDE_DIRECTORIES>")
    set(macros "$<TARGET_PROPERTY:${target},${kind}COMPILE_DEFINITIONS>")
    # Without folders or macros there is no option.
    set(build "$<$<BOOL:${includes}>:-I$<JOIN:${includes},;-I>>" "$<$<BOOL:${macros}>:-D$<JOIN:${macros},;-D>>")
  endif()

  set(stamps "")
  foreach(source IN LISTS lint_SOURCES)
    get_filename_component(path "${source}" ABSOLUTE)
    file(RELATIVE_PATH name "${CMAKE_CURRENT_SOURCE_DIR}" "${path}")
    string(REGEX REPLACE "[^A-Za-z0-9_.-]" "_" name "${name}")
    if(lint_FORMAT STREQUAL "sarif")
      set(report "${folder}/${name}.sarif")
    else()
      set(report "${folder}/${name}.txt")
    endif()
    # There is a stamp only of a kernel without findings: a report with findings must not stop the next build from linting.
    set(stamp "${folder}/${name}.stamp")
    add_custom_command(
      OUTPUT "${stamp}"
      BYPRODUCTS "${report}"
      COMMAND "${CMAKE_COMMAND}" "-DTANGLE=${TANGLE_EXECUTABLE}" "-DREPORT=${report}" "-DSTAMP=${stamp}"
        -P "${_TANGLE_LINT_RUN}" --
        lint --quiet --format "${lint_FORMAT}" --output-file "${report}" --depfile "${stamp}.d"
        ${lint_OPTIONS} "${build}" "${path}"
      DEPENDS "${path}" "${TANGLE_EXECUTABLE}" "${_TANGLE_LINT_RUN}"
      DEPFILE "${stamp}.d"
      COMMENT "Linting ${source}"
      COMMAND_EXPAND_LISTS
      VERBATIM)
    list(APPEND stamps "${stamp}")
  endforeach()
  add_custom_target(${target}_lint DEPENDS ${stamps})
  if(NOT TARGET all_lint)
    add_custom_target(all_lint)
  endif()
  add_dependencies(all_lint ${target}_lint)
endfunction()
