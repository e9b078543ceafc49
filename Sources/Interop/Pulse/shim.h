// SPDX-License-Identifier: Apache-2.0
#pragma once
#if !__has_include(<pulse/pulseaudio.h>)
#error "libpulse is missing: apt install libpulse-dev, or Scripts/install-dependencies"
#endif
#include <pulse/pulseaudio.h>

/// Returns the format of 32-bit float samples in the machine's byte order. PulseAudio defines it as
/// a macro, which Swift does not see.
static inline pa_sample_format_t playhead_pulse_float_format(void) { return PA_SAMPLE_FLOAT32NE; }

/// Returns the value that leaves a field of `pa_buffer_attr` to the server.
static inline uint32_t playhead_pulse_default(void) { return (uint32_t) -1; }
