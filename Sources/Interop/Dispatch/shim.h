// SPDX-License-Identifier: Apache-2.0
// The functions of libdispatch that let another run loop run the main queue. No public header
// declares them, but they are stable, because Foundation's run loop depends on both (4CF means "for
// CoreFoundation").
#pragma once

int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *message);

/// Returns the eventfd that becomes readable when the main queue has work.
static inline int ph_main_queue_descriptor(void) { return _dispatch_get_main_queue_handle_4CF(); }

/// Runs the work of the main queue. Main thread only.
static inline void ph_main_queue_drain(void) { _dispatch_main_queue_callback_4CF(0); }
