// SPDX-License-Identifier: Apache-2.0
#pragma once
#if !__has_include(<ass/ass.h>)
#error "libass is missing: apt install libass-dev, or Scripts/install-dependencies"
#endif
#include <ass/ass.h>
