// SPDX-License-Identifier: Apache-2.0
#pragma once
#if !__has_include(<pulse/pulseaudio.h>)
#error "libpulse is missing: apt install libpulse-dev, or Scripts/install-dependencies"
#endif
#include <pulse/pulseaudio.h>

/// 32-bit float in the machine's byte order: a macro, which Swift does not see.
static inline pa_sample_format_t playhead_pulse_float_format(void) { return PA_SAMPLE_FLOAT32NE; }

/// "The server's choice" for a field of `pa_buffer_attr`.
static inline uint32_t playhead_pulse_default(void) { return (uint32_t) -1; }
