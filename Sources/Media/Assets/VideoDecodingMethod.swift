// SPDX-License-Identifier: Apache-2.0

/// The way in which a video's frames are decoded: by hardware or by the CPU.
package struct VideoDecodingMethod: Sendable, Hashable {
    /// The hardware that decodes; `none` if the CPU decodes.
    package var acceleration: HardwareAcceleration
    /// The reason, as a clause, why the CPU decodes although hardware was requested; nil otherwise.
    package var refusal: String?

    /// Decoding by the CPU, as requested.
    package static let processor = VideoDecodingMethod()

    package init(acceleration: HardwareAcceleration = .none, refusal: String? = nil) {
        self.acceleration = acceleration
        self.refusal = refusal
    }
}
