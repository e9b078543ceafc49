// SPDX-License-Identifier: Apache-2.0

public import CPlayhead
import PlayheadBuffers
import PlayheadCapturing
import PlayheadTime
import Synchronization

@c @implementation
public func playhead_open_device(
    _ player: OpaquePointer?, _ address: UnsafePointer<CChar>?
) -> playhead_status {
    Call.player(player) { player in
        let text = try Argument.text(address, "address")
        guard CameraAddress.isOne(text) else {
            throw CallFailure.argument(
                "\(text): expected the address of a camera, such as camera:0")
        }
        do {
            try player.open(try CameraAddress(text))
        } catch let refusal as CameraAddress.Refusal {
            throw CallFailure.argument(refusal.description)
        }
        return PLAYHEAD_OK
    }
}

extension HostedCamera {
    /// Fills in the fields of a player's state that concern the device.
    func describe(_ state: inout playhead_state) {
        (state.transport, state.rate) = (playhead_transport(PLAYHEAD_WAITING), 1)
        switch phase {
        case .opening: state.phase = playhead_phase(PLAYHEAD_PHASE_OPENING)
        case .ready:
            state.phase = playhead_phase(PLAYHEAD_PHASE_READY)
            if hasFrame { state.transport = playhead_transport(PLAYHEAD_PLAYING) }
        case .failed(let error):
            state.phase = playhead_phase(PLAYHEAD_PHASE_FAILED)
            state.failure = CallFailure(error).status
        }
        state.position = outputs.memory.itemTime(forHostTime: HostClock.shared.time).hosted
    }

    /// Fills in a description of the device.
    ///
    /// - Throws: the error of the device; `CallFailure` if the device is not open yet.
    func describe(_ info: inout playhead_media_info) throws {
        if case .failed(let error) = phase { throw error }
        guard let configuration else {
            throw CallFailure.state("\(name): still opening; wait for PLAYHEAD_EVENT_READY")
        }
        info.flags = UInt32(PLAYHEAD_MEDIA_HAS_VIDEO)
        info.duration = noTime
        info.width = Int32(clamping: configuration.format.width)
        info.height = Int32(clamping: configuration.format.height)
        let duration = configuration.frameDuration
        info.frame_rate = duration.isNumeric && duration > .zero ? 1 / duration.seconds : 0
        withUnsafeMutableBytes(of: &info.container) {
            configuration.format.mediaSubType.copy(to: $0)
        }
    }
}
