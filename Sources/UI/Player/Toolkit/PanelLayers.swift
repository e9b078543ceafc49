// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
package import PlayheadLayers
import PlayheadText

/// Creates the layers of panels, icons, controls and text that are shown over a video.
///
/// - Concurrency: the main thread.
@MainActor package struct PanelLayers {
    /// The number of pixels in a point of the design.
    let scale: Double
    let icons: IconPictures
    package private(set) var layers: [Layer] = []

    package init(scale: Double) { self.init(scale: scale, icons: IconPictures()) }

    init(scale: Double, icons: IconPictures) {
        self.scale = scale
        self.icons = icons
    }

    /// Adds a layer.
    mutating func append(_ layer: Layer) { layers.append(layer) }

    /// Adds a rectangle of one colour.
    package mutating func fill(_ rect: LayerRect, _ color: SIMD4<Float>, radius: Double = 0) {
        var layer = Layer(.color(color), frame: .pixels(rect), gravity: .resize)
        layer.cornerRadius = radius
        layers.append(layer)
    }

    /// Adds a dark background with a thin edge.
    package mutating func panel(
        _ rect: LayerRect, radius: Double, ground: SIMD4<Float> = PanelPalette.ground
    ) {
        let line = max(1, scale.rounded(.down))
        fill(
            LayerRect(
                x: rect.x - line, y: rect.y - line, width: rect.width + 2 * line,
                height: rect.height + 2 * line), PanelPalette.edge, radius: radius + line)
        fill(rect, ground, radius: radius)
    }

    /// Adds an icon in the middle of a rectangle.
    mutating func icon(_ icon: Icon, in rect: LayerRect, side: Double, opacity: Double = 0.95) {
        let picture = icons.picture(of: icon, side: Int(side.rounded()))
        let side = Double(picture.width)
        let frame = LayerRect(
            x: (rect.x + (rect.width - side) / 2).rounded(),
            y: (rect.y + (rect.height - side) / 2).rounded(), width: side, height: side)
        layers.append(
            Layer(.image(picture), frame: .pixels(frame), gravity: .resize, opacity: opacity))
    }

    /// Adds an image that fills a rectangle.
    package mutating func picture(_ picture: PixelBuffer, in rect: LayerRect, radius: Double) {
        var layer = Layer(.image(picture), frame: .pixels(rect), gravity: .resizeAspectFill)
        layer.cornerRadius = radius
        layers.append(layer)
    }

    /// The horizontal alignment of a line of text in a rectangle.
    package enum Alignment {
        case left, center, right
    }

    /// Adds a line of text, centred vertically in a rectangle. Without fonts, nothing is added.
    ///
    /// - Parameter truncates: A Boolean value that indicates whether text that is wider than the
    ///   rectangle is truncated with an ellipsis.
    package mutating func text(
        _ text: String, in rect: LayerRect, size: Double, alignment: Alignment = .left,
        color: SIMD4<Float> = PanelPalette.content, isBold: Bool = false,
        family: String = "sans-serif",
        truncates: Bool = false
    ) {
        func picture(of text: String) -> PixelBuffer? {
            Self.picture(of: text, size: size, color: color, isBold: isBold, family: family)
        }
        var words = text
        if truncates {
            words = text.truncated { Double(picture(of: $0)?.width ?? 0) <= rect.width }
        }
        guard let picture = picture(of: words) else { return }
        let (width, height) = (Double(picture.width), Double(picture.height))
        let room = rect.width - width
        let x =
            switch alignment {
            case .left: rect.x
            case .center: rect.x + room / 2
            case .right: rect.x + room
            }
        let frame = LayerRect(
            x: x.rounded(), y: (rect.y + (rect.height - size) / 2).rounded(), width: width,
            height: height)
        layers.append(Layer(.image(picture), frame: .pixels(frame), gravity: .resize))
    }

    /// Returns an image of a text. The left edge of the image is the origin of the line, even if
    /// the first letter begins to the left or to the right of the origin.
    package static func picture(
        of text: String, size: Double, color: SIMD4<Float> = PanelPalette.content,
        isBold: Bool = false, maximumWidth: Int? = nil, family: String = "sans-serif"
    ) -> PixelBuffer? {
        var style = TextStyle(family: family, size: size, isBold: isBold, color: color)
        style.coversLines = true
        let picture = try? TextPictures.shared.picture(
            of: text, style: style, maximumWidth: maximumWidth)
        return picture ?? nil
    }

    /// Returns an image of a message, with long paths shortened.
    package static func picture(
        ofMessage text: String, size: Double, maximumWidth: Int
    ) -> PixelBuffer? {
        let words = shortened(text) { word in
            picture(of: word, size: size).map { $0.width <= maximumWidth } ?? true
        }
        return picture(of: words, size: size, maximumWidth: maximumWidth)
    }

    /// Returns the text with long paths shortened: a path that is wider than a line is reduced to
    /// its last component. Truncating the path at the end would remove the file name.
    static func shortened(_ text: String, fits: (String) -> Bool) -> String {
        // Shorter words fit into any window in which text is legible.
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map { word in
            guard word.count > 24, let name = word.split(separator: "/").last,
                name.count < word.count, !fits(String(word))
            else { return String(word) }
            return "…/\(name)"
        }
        return words.joined(separator: " ")
    }
}
