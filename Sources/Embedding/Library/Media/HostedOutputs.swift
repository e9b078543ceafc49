// SPDX-License-Identifier: Apache-2.0

import PlayheadPlayback

/// The outputs of the media or of the device that is open: for the host's framebuffers; for
/// multisampled framebuffers, which have a separate renderer; for textures; and for memory. Each
/// has its own record of the frames that were shown.
struct HostedOutputs: Sendable {
    let target: any NotifyingPixelBufferSource
    let sampled: any NotifyingPixelBufferSource
    let texture: any NotifyingPixelBufferSource
    let memory: any NotifyingPixelBufferSource
    /// Wakes the host for new frames.
    let watch: FrameWakeup

    /// Creates outputs for all destinations.
    init(wakeup: WakeupCallback, _ make: () -> any NotifyingPixelBufferSource) {
        (target, sampled, texture, memory) = (make(), make(), make(), make())
        watch = FrameWakeup(
            [.target: target, .sampled: sampled, .texture: texture, .memory: memory],
            wakeup: wakeup)
    }
}
