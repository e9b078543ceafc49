// SPDX-License-Identifier: Apache-2.0
// What libdispatch offers to run loops other than its own. Foundation's run loop rests on these
// two functions (4CF means "for CoreFoundation"), so they are as stable as anything; no public
// header declares them.
#pragma once

int _dispatch_get_main_queue_handle_4CF(void);
void _dispatch_main_queue_callback_4CF(void *message);

/// The eventfd that becomes readable when the main queue has work.
static inline int ph_main_queue_descriptor(void) { return _dispatch_get_main_queue_handle_4CF(); }

/// Runs what the main queue holds. On the main thread only.
static inline void ph_main_queue_drain(void) { _dispatch_main_queue_callback_4CF(0); }
