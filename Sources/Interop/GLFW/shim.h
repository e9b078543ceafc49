// SPDX-License-Identifier: Apache-2.0
#pragma once
#define GLFW_INCLUDE_NONE
#include <GLFW/glfw3.h>
