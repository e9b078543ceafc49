// SPDX-License-Identifier: Apache-2.0
// OpenGL through libepoxy. Swift does not see libepoxy's macros, and its function pointers are
// mutable globals, so every entry point used has an inline wrapper of the same name with `ph_`.
#pragma once
#include <epoxy/gl.h>
