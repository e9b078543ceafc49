// SPDX-License-Identifier: Apache-2.0

/// A draw call with one of the effect's shaders, into an image of its own or into the effect's
/// output.
///
/// - Corresponds to: an element of ISF's `PASSES`; a `HOOK` block in mpv; a tab in Shadertoy.
package struct EffectPass: Sendable {
    /// The format of the channels of a pass's image.
    package enum Precision: String, Sendable, Hashable {
        /// 8 bits per channel, 0 to 1.
        case eightBit
        /// 16 bits per channel, 0 to 1.
        case sixteenBit
        /// 16-bit floats.
        case half
        /// 32-bit floats.
        case float
    }

    /// An image that the pass's shader reads under another name or with its own sampler settings.
    package struct Binding: Sendable, Hashable {
        /// The name of the sampler in the shader.
        package let sampler: String
        /// The name of the image: an input, an imported image, or the target of a pass.
        package let picture: String
        /// A Boolean value that indicates whether texels are read without interpolation.
        package var isNearest = false
        /// A Boolean value that indicates whether the whole image is repeated beyond its edges.
        /// Otherwise only its edge texels are repeated.
        package var isRepeated = false
    }

    /// The work groups of a compute shader that draws a pass.
    package struct Compute: Sendable, Hashable {
        /// The width of the block of pixels that a group writes.
        package let blockWidth: Int
        package let blockHeight: Int
        /// The number of threads of a group in x.
        package let threadsX: Int
        package let threadsY: Int
    }

    /// The position of a pass's image relative to the frame.
    package struct Shift: Sendable, Hashable {
        /// The image whose shift is the base of this shift, or nil.
        package var base: String?
        /// The shift that is added to the base, in pixels of the pass's own image.
        package var pixels = SIMD2<Double>(0, 0)
        /// A Boolean value that indicates whether the siting of the stored chroma is added too.
        package var hasSiting = false
    }

    /// The planes of a video.
    package enum Plane: Sendable, Hashable {
        case luma
        case chroma
    }

    /// The index of the shader in the effect.
    package let shader: Int
    /// The name under which later passes read the image, or nil for the effect's output.
    package let target: String?
    /// A Boolean value that indicates whether the image is kept from frame to frame.
    package let isPersistent: Bool
    /// The format of the channels of the pass's target.
    package let precision: Precision
    /// The stored plane of the video that the pass copies, or nil. The format of the plane may
    /// replace `precision`.
    package var copiedPlane: Plane?
    /// The size in pixels, or nil for the size of the output.
    package let width: SizeExpression?
    package let height: SizeExpression?
    /// The condition of the pass. If its value is 0, the pass is skipped. If it is nil, the pass is
    /// always drawn.
    package var condition: SizeExpression?
    /// The images that are read under other names.
    package var bindings: [Binding]
    /// The image for which the target's name becomes an alias, or nil. If an alias is set, nothing
    /// is drawn.
    package var alias: String?
    /// The work groups of a compute shader; nil for a fragment shader.
    package var compute: Compute?
    /// The position of the pass's image relative to the frame.
    package var shift = Shift()
    /// A Boolean value that indicates whether the pass is skipped if an image that it reads is
    /// missing.
    package var needsImages = false
    /// A description by the author, or an empty string.
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
