// SPDX-License-Identifier: Apache-2.0

/// One run of one of an effect's shaders, into a picture of its own or into the effect's output.
///
/// - Corresponds to: an element of ISF's `PASSES`; a `HOOK` block of mpv's; a tab of Shadertoy's.
package struct EffectPass: Sendable {
    /// The format of the channels of a pass's image.
    package enum Precision: String, Sendable, Hashable {
        /// 8 bits, 0 to 1.
        case eightBit
        /// 16 bits, 0 to 1.
        case sixteenBit
        /// 16-bit floats.
        case half
        /// 32-bit floats.
        case float
    }

    /// A picture that the pass's shader reads by another name than its own, or in a way of its own.
    package struct Binding: Sendable, Hashable {
        /// The name of the sampler in the shader.
        package let sampler: String
        /// The picture: an input, an imported image, or the target of a pass.
        package let picture: String
        /// A Boolean value that indicates whether texels are read without interpolation.
        package var isNearest = false
        /// A Boolean value that indicates whether it repeats beyond its edges. Otherwise the edges
        /// do.
        package var isRepeated = false
    }

    /// The work groups of a pass that a compute shader draws.
    package struct Compute: Sendable, Hashable {
        /// The pixels that a group writes.
        package let blockWidth: Int
        package let blockHeight: Int
        /// The threads of a group.
        package let threadsX: Int
        package let threadsY: Int
    }

    /// The place of a pass's image relative to the frame.
    package struct Shift: Sendable, Hashable {
        /// The image whose shift it has too; nil for none.
        package var base: String?
        /// Pixels of the pass's own image that are added.
        package var pixels = SIMD2<Double>(0, 0)
        /// A Boolean value that indicates whether the siting of the stored chroma is added.
        package var hasSiting = false
    }

    /// Which of the effect's shaders draws it.
    package let shader: Int
    /// The picture that later passes read by this name; nil for the effect's output.
    package let target: String?
    /// A Boolean value that indicates whether the image is kept from frame to frame.
    package let isPersistent: Bool
    /// Bits of a channel of what it draws into.
    package let precision: Precision
    /// Size in pixels; nil for that of the output.
    package let width: SizeExpression?
    package let height: SizeExpression?
    /// The pass is left out where this is 0; nil for never.
    package var condition: SizeExpression?
    /// Pictures read by other names than their own.
    package var bindings: [Binding]
    /// The picture that the target becomes another name for: then nothing is drawn.
    package var alias: String?
    /// The work groups of a compute shader; nil for a fragment shader.
    package var compute: Compute?
    /// The place of its image relative to the frame.
    package var shift = Shift()
    /// A Boolean value that indicates whether the pass is left out if an image that it reads is
    /// missing.
    package var needsImages = false
    /// A description by the author; empty for none.
    package var summary = ""

    package init(
        shader: Int = 0, target: String? = nil, isPersistent: Bool = false,
        precision: Precision = .eightBit, width: SizeExpression? = nil,
        height: SizeExpression? = nil, condition: SizeExpression? = nil, bindings: [Binding] = []
    ) {
        self.shader = shader
        self.target = target
        self.isPersistent = isPersistent
        self.precision = precision
        self.width = width
        self.height = height
        self.condition = condition
        self.bindings = bindings
    }
}
