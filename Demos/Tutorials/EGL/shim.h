// SPDX-License-Identifier: Apache-2.0

#include <EGL/egl.h>
#include <EGL/eglext.h>
