// SPDX-License-Identifier: Apache-2.0

/// The method that decodes a video's frames.
package struct VideoDecodingMethod: Sendable, Hashable {
    /// The hardware that decodes; `none` for the CPU.
    package var acceleration: HardwareAcceleration
    /// The reason why the CPU decodes although hardware was requested, as a clause, or nil.
    package var refusal: String?

    /// Decoding by the CPU, as requested.
    package static let processor = VideoDecodingMethod()

    package init(acceleration: HardwareAcceleration = .none, refusal: String? = nil) {
        self.acceleration = acceleration
        self.refusal = refusal
    }
}
