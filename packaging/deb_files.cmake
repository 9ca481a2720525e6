# What Debian's policy asks of the files of a package, done to them before CPack wraps them.
set(control ${CMAKE_CURRENT_LIST_DIR}/control)
set(share ${CPACK_TEMPORARY_DIRECTORY}/usr/share)
set(doc ${share}/doc/pinn)

file(REMOVE ${doc}/LICENSE)  # copyright names it, and every Debian has it
file(MAKE_DIRECTORY ${share}/lintian/overrides)
configure_file(${control}/lintian-overrides ${share}/lintian/overrides/pinn COPYONLY)
set(date "$ENV{PINN_DATE}")
configure_file(${control}/changelog.in ${doc}/changelog.Debian @ONLY)
file(GLOB pages ${share}/man/man1/*.1)
execute_process(COMMAND gzip -9n ${pages} ${doc}/changelog.Debian COMMAND_ERROR_IS_FATAL ANY)
