// SPDX-License-Identifier: Apache-2.0

public import PlayheadBuffers
public import PlayheadEffects
public import PlayheadTextures

/// Something to be seen, and where and how: a value, made anew or changed at will for every frame.
///
/// ```swift
/// var layer = Layer(.video(output))
/// layer.frame = .fraction(LayerRect(x: 0.5, y: 0.5, width: 0.5, height: 0.5))
/// layer.effects = [chromaKey]
/// layer.mask = .ellipse
/// ```
///
/// Any number of layers may show one source, or parts of it; its picture is uploaded once, and
/// layers that look alike to OpenGL are drawn together. Layers make a tree: `sublayers` stand in
/// their layer, and move, fade and are masked with it.
///
/// - Concurrency: a value; any thread.
/// - Ownership: holds its source, its picture and its effects.
/// - Corresponds to: `AVPlayerLayer` and `CALayer`.
public struct Layer: Sendable {
    /// What a layer shows.
    public enum Content: Sendable {
        /// Nothing of its own: a group of layers.
        case none
        /// What a source has for the time of the frame. Corresponds to `AVPlayerLayer`.
        case video(any PixelBufferSource)
        /// A picture: a still, text (`Layer.text`), or a frozen frame.
        case image(PixelBuffer)
        /// A colour: red, green, blue, alpha from 0 to 1, not premultiplied.
        case color(SIMD4<Float>)
        /// What a generator makes.
        case generator(EffectInstance)
        /// One layer on its way to become another.
        indirect case transition(LayerTransition)
    }

    /// What a person may call it; nothing else depends on it.
    public var name = ""
    /// What it shows.
    public var content: Content
    /// Where it stands in its parent, before its transform; the whole parent by default.
    public var frame: LayerFrame
    /// What its transform turns about, in fractions of its frame: the middle by default.
    public var anchorPoint = SIMD2<Double>(0.5, 0.5)
    /// Turns, scales, moves and tilts it about its anchor point.
    public var transform = Transform3D.identity
    /// Applied to every sublayer about this layer's anchor point, after the sublayer's own: the
    /// place for a perspective that they share.
    public var sublayerTransform = Transform3D.identity
    /// How far it stands before its siblings: those with more are drawn later, and under a
    /// perspective are seen larger.
    public var zPosition = 0.0
    /// The part of the picture that it shows, in fractions of the upright picture. Beyond the
    /// picture, its edge pixels go on. Colours, generators and transitions are made for the frame, and
    /// all of them is seen. Corresponds to `CALayer.contentsRect`.
    public var contentsRect: LayerRect
    /// How the picture fills the frame. Corresponds to `CALayer.contentsGravity`.
    public var gravity: LayerGravity
    /// From 0 to 1; of the layer with its sublayers, as one picture.
    public var opacity: Double
    /// In pixels: what the layer shows, and what `masksToBounds` clips, is cut off beyond.
    public var cornerRadius = 0.0
    /// What of the layer and its sublayers is seen; nil for all.
    public var mask: LayerMask?
    /// Whether sublayers are cut off where the layer ends.
    public var masksToBounds = false
    /// How it meets what lies behind it. Corresponds to `CALayer.compositingFilter`.
    public var blendMode = BlendMode.normal
    /// Whether it and its sublayers are left out.
    public var isHidden: Bool
    /// Filters, applied first to last: to what the layer shows, or, where it has sublayers, to it
    /// and them as one picture of the size of its frame. Corresponds to `CALayer.filters`.
    public var effects: [EffectInstance]
    /// Layers that stand in this one, from back to front where their z positions are the same.
    public var sublayers: [Layer] = []
    /// Changes of its properties over time; see `LayerAnimation`.
    public var animations: [LayerAnimation] = []
    /// How a picture without effects grows. Corresponds to `CALayer.magnificationFilter`.
    public var magnificationFilter = ScalingFilter.linear
    /// How a picture without effects shrinks. Corresponds to `CALayer.minificationFilter`.
    public var minificationFilter = ScalingFilter.linear
    /// What becomes of a film whose pictures are flagged as two fields.
    public var deinterlacing = Deinterlacing.none
    /// Whether filters other than `linear` and `nearest` average light instead of numbers.
    public var scalesInLinearLight = false

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

    /// A group: layers that move, fade and are masked together.
    public init(frame: LayerFrame = .whole, sublayers: [Layer]) {
        self.init(.none, frame: frame)
        self.sublayers = sublayers
    }
}

extension Layer.Content: Equatable {
    /// Sources, pictures and effects are the same when they are the same objects.
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
    /// Effects are the same when they are the same objects; their values are not looked at.
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
