# Installs the program: launch/, config/, dist/, … to share/rein, wrappers to lib/rein, and its node_modules.

# CMake looked when it was configured; this looks in every later build.
add_custom_target(rein_dist ALL
  COMMAND "${CMAKE_COMMAND}"
    "-DREIN_SOURCE_DIR=${CMAKE_CURRENT_SOURCE_DIR}"
    "-DAMENT_CMAKE_SYMLINK_INSTALL=${AMENT_CMAKE_SYMLINK_INSTALL}"
    -P "${CMAKE_CURRENT_LIST_DIR}/check-dist.cmake"
  VERBATIM)

set(folders bin launch)
if(NOT AMENT_CMAKE_SYMLINK_INSTALL)
  list(APPEND folders config dist)
  foreach(name emulate lab)
    install(DIRECTORY packages/${name}/dist DESTINATION share/${PROJECT_NAME}/packages/${name} PATTERN "*.map" EXCLUDE)
    install(FILES packages/${name}/package.json DESTINATION share/${PROJECT_NAME}/packages/${name})
  endforeach()
endif()
# A link of an earlier --symlink-install would be written through, into the source.
install(CODE "
  foreach(name config dist packages)
    set(target \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/${PROJECT_NAME}/\${name}\")
    if(IS_SYMLINK \"\${target}\")
      file(REMOVE \"\${target}\")
    endif()
  endforeach()
")
install(DIRECTORY ${folders} DESTINATION share/${PROJECT_NAME}
  PATTERN "*.map" EXCLUDE
  PATTERN "*.pyc" EXCLUDE
  PATTERN "__pycache__" EXCLUDE
  PATTERN ".*" EXCLUDE)
install(DIRECTORY docs/schema DESTINATION share/${PROJECT_NAME}/docs)
install(FILES package.json DESTINATION share/${PROJECT_NAME})

# One wrapper, three names: it starts what it is called.
foreach(executable node sim rein)
  install(PROGRAMS ros/start.sh DESTINATION lib/${PROJECT_NAME} RENAME ${executable})
endforeach()

# The program looks for its packages beside itself. colcon and ROS tools crawl: what lies in node_modules is none of
# their business.
file(TOUCH "${CMAKE_CURRENT_SOURCE_DIR}/node_modules/COLCON_IGNORE")
install(CODE "
  set(REIN_SOURCE_DIR \"${CMAKE_CURRENT_SOURCE_DIR}\")
  set(REIN_SHARE_DIR \"\$ENV{DESTDIR}\${CMAKE_INSTALL_PREFIX}/share/${PROJECT_NAME}\")
  set(REIN_SYMLINK_INSTALL \"${AMENT_CMAKE_SYMLINK_INSTALL}\")
  set(REIN_COPY_NODE_MODULES ${REIN_COPY_NODE_MODULES})
  include(\"${CMAKE_CURRENT_LIST_DIR}/install-links.cmake\")
")
