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
/// ```
///
/// Any number of layers may show one source, or parts of it; its picture is uploaded once.
///
/// - Concurrency: a value; any thread.
/// - Ownership: holds its source, its picture and its effects.
/// - Corresponds to: `AVPlayerLayer` and `CALayer`.
public struct Layer: Sendable {
    /// What a layer shows.
    public enum Content: Sendable {
        /// What a source has for the time of the frame.
        case video(any PixelBufferSource)
        /// A picture.
        case image(PixelBuffer)
        /// A colour: red, green, blue, alpha from 0 to 1, not premultiplied.
        case color(SIMD4<Float>)
        /// What a generator makes.
        case generator(EffectInstance)
    }

    public var content: Content
    /// Where it stands; the whole target by default.
    public var frame: LayerFrame
    /// The part of the picture that it shows, in fractions of the upright picture.
    /// Corresponds to `CALayer.contentsRect`.
    public var contentsRect: LayerRect
    public var gravity: LayerGravity
    /// From 0 to 1.
    public var opacity: Double
    public var isHidden: Bool
    /// Filters, applied to what the layer shows, first to last.
    public var effects: [EffectInstance]
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
}

extension Layer.Content: Equatable {
    /// Sources, pictures and effects are the same when they are the same objects.
    public static func == (left: Layer.Content, right: Layer.Content) -> Bool {
        switch (left, right) {
        case (.video(let left), .video(let right)): left === right
        case (.image(let left), .image(let right)): left === right
        case (.color(let left), .color(let right)): left == right
        case (.generator(let left), .generator(let right)): left === right
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
            && left.effects.elementsEqual(right.effects, by: ===)
            && left.magnificationFilter == right.magnificationFilter
            && left.minificationFilter == right.minificationFilter
            && left.deinterlacing == right.deinterlacing
            && left.scalesInLinearLight == right.scalesInLinearLight
    }
}
