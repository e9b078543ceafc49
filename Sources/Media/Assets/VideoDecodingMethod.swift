// SPDX-License-Identifier: Apache-2.0

/// The method that decodes a video's frames.
package struct VideoDecodingMethod: Sendable, Hashable {
    /// The hardware that does; `none` for the processor.
    package var acceleration: HardwareAcceleration
    /// Why it is the processor though hardware was asked for, as a clause; nil else.
    package var refusal: String?

    /// Decoding by the processor, as was asked for.
    package static let processor = VideoDecodingMethod()

    package init(acceleration: HardwareAcceleration = .none, refusal: String? = nil) {
        self.acceleration = acceleration
        self.refusal = refusal
    }
}
