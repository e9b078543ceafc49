// SPDX-License-Identifier: Apache-2.0
#pragma once
#include <xcb/xcb.h>
#include <xcb/present.h>
