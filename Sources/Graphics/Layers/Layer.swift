// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadEffects
public import PlayheadTextures

/// A visible element with its geometry and appearance. A layer is a value that may be created or
/// changed for every frame.
///
/// ```swift
/// var layer = Layer(.video(output))
/// layer.frame = .fraction(LayerRect(x: 0.5, y: 0.5, width: 0.5, height: 0.5))
/// layer.effects = [chromaKey]
/// layer.mask = .ellipse
/// ```
///
/// Any number of layers may show one source, or parts of it. The frame of the source is uploaded
/// once. Layers that OpenGL can draw with the same state are drawn together. Layers form a tree:
/// `sublayers` are positioned relative to their parent, and move, fade and are masked together with
/// it.
///
/// - Concurrency: a value; any thread.
/// - Ownership: holds its source, its image and its effects.
/// - Corresponds to: `AVPlayerLayer` and `CALayer`.
public struct Layer: Sendable {
    /// The content of a layer.
    public enum Content: Sendable {
        /// No content: the layer is a group of its sublayers.
        case none
        /// The frame that a source has at the time of drawing. Corresponds to `AVPlayerLayer`.
        case video(any PixelBufferSource)
        /// An image: a still, text (`Layer.text`), or a frozen frame.
        case image(PixelBuffer)
        /// A colour: red, green, blue, alpha from 0 to 1, not premultiplied.
        case color(SIMD4<Float>)
        /// The output of a generator.
        case generator(EffectInstance)
        /// A transition between two layers.
        indirect case transition(LayerTransition)
    }

    /// A name for display and for errors; nothing else depends on it.
    public var name = ""
    /// The content.
    public var content: Content
    /// The position and size in the parent, before the layer's transform; the whole parent by
    /// default.
    public var frame: LayerFrame
    /// The point about which the layer is transformed, in fractions of its frame; the centre by
    /// default.
    public var anchorPoint = SIMD2<Double>(0.5, 0.5)
    /// The transform of the layer about its anchor point.
    public var transform = Transform3D.identity
    /// The transform of every sublayer about this layer's anchor point, after the sublayer's own
    /// transform. Use it for a perspective that the sublayers share.
    public var sublayerTransform = Transform3D.identity
    /// The position along z. Layers with a higher position are drawn after their siblings and,
    /// under a perspective, appear larger.
    public var zPosition = 0.0
    /// The part of the content that the layer shows, in fractions of the upright frame or image.
    /// Beyond the edges of the content, its edge pixels are repeated. Colours, generators and
    /// transitions are made for the layer's frame and always fill it. Corresponds to
    /// `CALayer.contentsRect`.
    public var contentsRect: LayerRect
    /// The way in which the content fills the frame. Corresponds to `CALayer.contentsGravity`.
    public var gravity: LayerGravity
    /// The opacity of the layer and its sublayers together, from 0 to 1.
    public var opacity: Double
    /// The radius of the corners, in pixels. The content is clipped to the corners, and if
    /// `masksToBounds` is set, the sublayers too.
    public var cornerRadius = 0.0
    /// The mask of the layer and its sublayers; nil for no mask.
    public var mask: LayerMask?
    /// A Boolean value that indicates whether sublayers are clipped to the layer's bounds.
    public var masksToBounds = false
    /// The way in which the layer is combined with the layers behind it. Corresponds to
    /// `CALayer.compositingFilter`.
    public var blendMode = BlendMode.normal
    /// A Boolean value that indicates whether the layer and its sublayers are hidden.
    public var isHidden: Bool
    /// The filters, applied from first to last. They are applied to the content or, if the layer
    /// has sublayers, to an image of content and sublayers that has the size of the layer's frame.
    /// Corresponds to `CALayer.filters`.
    public var effects: [EffectInstance]
    /// The sublayers. Those whose z positions are equal are drawn in this order, from back to
    /// front.
    public var sublayers: [Layer] = []
    /// The animations of the layer's properties; see `LayerAnimation`.
    public var animations: [LayerAnimation] = []
    /// The filter that is used if content without effects is enlarged. Corresponds to
    /// `CALayer.magnificationFilter`.
    public var magnificationFilter = ScalingFilter.linear
    /// The filter that is used if content without effects is shrunk. Corresponds to
    /// `CALayer.minificationFilter`.
    public var minificationFilter = ScalingFilter.linear
    /// The treatment of video whose frames are flagged as interlaced.
    public var deinterlacing = Deinterlacing.none
    /// A Boolean value that indicates whether filters other than `linear` and `nearest` average
    /// linear light instead of the target's nonlinear values.
    public var scalesInLinearLight = false

    /// Creates a layer that shows some content.
    public init(
        _ content: Content, frame: LayerFrame = .whole, contentsRect: LayerRect = .unit,
        gravity: LayerGravity = .resizeAspect, opacity: Double = 1, isHidden: Bool = false,
        effects: [EffectInstance] = []
    ) {
        self.content = content
        self.frame = frame
        self.contentsRect = contentsRect
        self.gravity = gravity
        self.opacity = opacity
        self.isHidden = isHidden
        self.effects = effects
    }

    /// Creates a group of layers that move, fade and are masked together.
    public init(frame: LayerFrame = .whole, sublayers: [Layer]) {
        self.init(.none, frame: frame)
        self.sublayers = sublayers
    }
}

extension Layer.Content: Equatable {
    /// Returns whether two contents are equal. Sources, images and effects are compared by
    /// identity.
    public static func == (left: Layer.Content, right: Layer.Content) -> Bool {
        switch (left, right) {
        case (.none, .none): true
        case (.video(let left), .video(let right)): left === right
        case (.image(let left), .image(let right)): left === right
        case (.color(let left), .color(let right)): left == right
        case (.generator(let left), .generator(let right)): left === right
        case (.transition(let left), .transition(let right)): left == right
        default: false
        }
    }
}

extension Layer: Equatable {
    /// Returns whether two layers are equal. Effects are compared by identity, not by their values.
    public static func == (left: Layer, right: Layer) -> Bool {
        left.content == right.content && left.frame == right.frame
            && left.contentsRect == right.contentsRect && left.gravity == right.gravity
            && left.opacity == right.opacity && left.isHidden == right.isHidden
            && left.transform == right.transform && left.anchorPoint == right.anchorPoint
            && left.zPosition == right.zPosition && left.blendMode == right.blendMode
            && left.cornerRadius == right.cornerRadius && left.mask == right.mask
            && left.masksToBounds == right.masksToBounds && left.name == right.name
            && left.sublayerTransform == right.sublayerTransform
            && left.effects.elementsEqual(right.effects, by: ===)
            && left.sublayers == right.sublayers && left.animations == right.animations
            && left.magnificationFilter == right.magnificationFilter
            && left.minificationFilter == right.minificationFilter
            && left.deinterlacing == right.deinterlacing
            && left.scalesInLinearLight == right.scalesInLinearLight
    }
}
