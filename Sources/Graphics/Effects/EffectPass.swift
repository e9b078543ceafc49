// SPDX-License-Identifier: Apache-2.0

/// One run of an effect's shader, into a picture of its own or into the effect's output.
///
/// - Corresponds to: an element of ISF's `PASSES`.
public struct EffectPass: Sendable {
    /// The picture that later passes read by this name; nil for the effect's output.
    public let target: String?
    /// Whether the picture is kept from frame to frame.
    public let isPersistent: Bool
    /// Whether the picture has 32-bit float channels instead of 8 bits.
    public let isFloat: Bool
    /// Size in pixels; nil for that of the output.
    public let width: SizeExpression?
    public let height: SizeExpression?
}
