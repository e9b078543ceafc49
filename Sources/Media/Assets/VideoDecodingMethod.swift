// SPDX-License-Identifier: Apache-2.0

/// What decodes a film's pictures.
public struct VideoDecodingMethod: Sendable, Hashable {
    /// The hardware that does; `none` for the processor.
    public var acceleration: HardwareAcceleration
    /// Why it is the processor though hardware was asked for, as a clause; nil else.
    public var refusal: String?

    /// Decoding by the processor, as was asked for.
    public static let processor = VideoDecodingMethod()

    public init(acceleration: HardwareAcceleration = .none, refusal: String? = nil) {
        self.acceleration = acceleration
        self.refusal = refusal
    }
}
