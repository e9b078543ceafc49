// SPDX-License-Identifier: Apache-2.0

import CPlayheadPulse

extension PulseContext {
    /// Removes all callbacks of a stream, disconnects it and releases it. Must be called with the
    /// main loop's lock held.
    static func end(_ stream: OpaquePointer) {
        pa_stream_set_event_callback(stream, nil, nil)
        pa_stream_set_state_callback(stream, nil, nil)
        pa_stream_set_read_callback(stream, nil, nil)
        pa_stream_set_write_callback(stream, nil, nil)
        pa_stream_set_underflow_callback(stream, nil, nil)
        pa_stream_set_latency_update_callback(stream, nil, nil)
        pa_stream_set_moved_callback(stream, nil, nil)
        pa_stream_set_suspended_callback(stream, nil, nil)
        pa_stream_disconnect(stream)
        pa_stream_unref(stream)
    }
}
