// SPDX-License-Identifier: Apache-2.0

public import CPlayhead
import PlayheadPlayback
import PlayheadTime
import Synchronization

@c @implementation
public func playhead_play(_ player: OpaquePointer?) -> playhead_status {
    Call.player(player) { player in
        player.play()
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_pause(_ player: OpaquePointer?) -> playhead_status {
    Call.player(player) { player in
        player.pause()
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_set_rate(_ player: OpaquePointer?, _ rate: Double) -> playhead_status {
    Call.player(player) { player in
        guard abs(rate) <= Player.rateLimit else {
            throw CallFailure.argument("rate must be between -16 and 16, not \(rate)")
        }
        player.setRate(rate)
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_seek(
    _ player: OpaquePointer?, _ time: Int64, _ mode: playhead_seek_mode
) -> playhead_status {
    Call.player(player) { player in
        try player.seek(to: time, mode: mode)
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_step(_ player: OpaquePointer?, _ count: Int32) -> playhead_status {
    Call.player(player) { player in
        try player.step(count)
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_set_loop(
    _ player: OpaquePointer?, _ count: Int32, _ start: Int64, _ end: Int64
) -> playhead_status {
    Call.player(player) { player in
        try player.setLoop(count, start: start, end: end)
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_get_state(
    _ player: OpaquePointer?, _ state: UnsafeMutablePointer<playhead_state>?
) -> playhead_status {
    Call.player(player) { player in
        let state = try Argument.out(state, "state")
        var result = playhead_state()
        result.struct_size = state.pointee.struct_size
        let (transport, rate) = player.motion
        result.transport = playhead_transport(transport)
        result.rate = rate
        result.position = noTime
        result.duration = noTime
        let (film, camera, isVisible) = player.control.withLock {
            ($0.film, $0.camera, $0.isVisible)
        }
        result.loops_left = Int32(clamping: player.iterationsLeft)
        if isVisible { result.flags |= UInt32(PLAYHEAD_STATE_VISIBLE) }
        if player.graphics.isInitialized { result.flags |= UInt32(PLAYHEAD_STATE_GL) }
        if let item = film?.item {
            switch item.status {
            case .unknown: result.phase = playhead_phase(PLAYHEAD_PHASE_OPENING)
            case .readyToPlay: result.phase = playhead_phase(PLAYHEAD_PHASE_READY)
            case .failed(let error):
                result.phase = playhead_phase(PLAYHEAD_PHASE_FAILED)
                result.failure = CallFailure(error).status
            }
            if item.hasPlayedToEnd { result.flags |= UInt32(PLAYHEAD_STATE_ENDED) }
            if item.state.isSeeking { result.flags |= UInt32(PLAYHEAD_STATE_SEEKING) }
            result.position = item.currentTime.hosted
            result.duration = item.duration.hosted
        }
        camera?.describe(&result)
        state.pointee = result
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_tick(_ player: OpaquePointer?, _ delta: Int64) -> playhead_status {
    Call.player(player) { player in
        try player.tick(delta)
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_start_at(
    _ player: OpaquePointer?, _ rate: Double, _ item_time: Int64, _ clock_time: Int64
) -> playhead_status {
    Call.player(player) { player in
        guard abs(rate) <= Player.rateLimit, rate != 0 else {
            throw CallFailure.argument("rate must be between -16 and 16 and not 0, found \(rate)")
        }
        try player.start(
            at: try Argument.time(item_time, "item_time"),
            clockTime: try Argument.time(clock_time, "clock_time"), rate: rate)
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_wait_for_frame(
    _ player: OpaquePointer?, _ timeout: Int64, _ next_time: UnsafeMutablePointer<Int64>?
) -> playhead_status {
    Call.player(player) { player in
        let (status, next) = try player.waitForFrame(timeout: timeout)
        if status == PLAYHEAD_TIMED_OUT {
            throw CallFailure(
                PLAYHEAD_TIMED_OUT,
                "the frame was not decoded within \(timeout) ns; wait again, or allow more time")
        }
        next_time?.pointee = next
        return status
    }
}

@c @implementation
public func playhead_report_swap(
    _ player: OpaquePointer?, _ host_time: Int64, _ period: Int64
) -> playhead_status {
    Call.player(player) { player in
        _ = try Argument.time(host_time, "host_time")
        guard (0...10_000_000_000).contains(period) else {
            throw CallFailure.argument("period must be between 0 and 10000000000 ns, not \(period)")
        }
        // A camera starts by itself, and not at a vsync.
        guard player.control.withLock({ $0.camera }) == nil else { return PLAYHEAD_OK }
        try player.film().item.alignStarts(
            toVsyncAt: MediaTime(nanoseconds: host_time), period: MediaTime(nanoseconds: period))
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_next_event(
    _ player: OpaquePointer?, _ event: UnsafeMutablePointer<playhead_event>?
) -> playhead_status {
    Call.player(player) { player in
        let event = try Argument.out(event, "event")
        guard let next = player.events.next() else { return PLAYHEAD_EMPTY }
        var result = playhead_event()
        result.struct_size = event.pointee.struct_size
        result.type = playhead_event_type(next.type)
        result.status = playhead_status(next.status)
        result.time = next.time
        result.value = next.value
        withUnsafeMutableBytes(of: &result.text) { next.text.copy(to: $0) }
        event.pointee = result
        return PLAYHEAD_OK
    }
}

@c @implementation
public func playhead_set_wakeup(
    _ player: OpaquePointer?, _ wakeup: playhead_wakeup?, _ user: UnsafeMutableRawPointer?
) -> playhead_status {
    Call.player(player) { player in
        player.setWakeup(wakeup, user: user)
        return PLAYHEAD_OK
    }
}
