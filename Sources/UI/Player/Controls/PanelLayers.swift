// SPDX-License-Identifier: Apache-2.0

package import PlayheadBuffers
package import PlayheadLayers
import PlayheadText

/// What everything that lies over a film is made of: dark panels, icons, lines and words, as layers.
///
/// - Concurrency: the main thread.
@MainActor package struct PanelLayers {
    /// Colours, not premultiplied. White on dark at this opacity can be read over any picture: over
    /// white the ground is 0.29 in sRGB, a contrast of 8 to 1.
    package enum Palette {
        package static let ground: SIMD4<Float> = [0.075, 0.078, 0.086, 0.78]
        /// Behind whole pages of words.
        package static let page: SIMD4<Float> = [0.06, 0.062, 0.07, 0.9]
        package static let edge: SIMD4<Float> = [1, 1, 1, 0.13]
        package static let content: SIMD4<Float> = [1, 1, 1, 0.95]
        package static let dim: SIMD4<Float> = [1, 1, 1, 0.62]
        /// Between the two, for words that are small.
        package static let soft: SIMD4<Float> = [1, 1, 1, 0.78]
        package static let line: SIMD4<Float> = [1, 1, 1, 0.22]
        package static let loaded: SIMD4<Float> = [1, 1, 1, 0.22]
        package static let hover: SIMD4<Float> = [1, 1, 1, 0.12]
        package static let focus: SIMD4<Float> = [1, 1, 1, 0.26]
        package static let mark: SIMD4<Float> = [0.06, 0.06, 0.07, 0.95]
        package static let loop: SIMD4<Float> = [1, 0.78, 0.2, 0.9]
        package static let live: SIMD4<Float> = [0.92, 0.2, 0.18, 1]
    }

    /// Pixels for a point of the design.
    let scale: Double
    let icons: IconPictures
    package private(set) var layers: [Layer] = []

    package init(scale: Double) { self.init(scale: scale, icons: IconPictures()) }

    init(scale: Double, icons: IconPictures) {
        self.scale = scale
        self.icons = icons
    }

    /// A rectangle of one colour.
    package mutating func fill(_ rect: LayerRect, _ color: SIMD4<Float>, radius: Double = 0) {
        var layer = Layer(.color(color), frame: .pixels(rect), gravity: .resize)
        layer.cornerRadius = radius
        layers.append(layer)
    }

    /// A dark ground with a fine edge.
    package mutating func panel(
        _ rect: LayerRect, radius: Double, ground: SIMD4<Float> = Palette.ground
    ) {
        let line = max(1, scale.rounded(.down))
        fill(
            LayerRect(
                x: rect.x - line, y: rect.y - line, width: rect.width + 2 * line,
                height: rect.height + 2 * line), Palette.edge, radius: radius + line)
        fill(rect, ground, radius: radius)
    }

    /// An icon in the middle of a rectangle.
    mutating func icon(_ icon: Icon, in rect: LayerRect, side: Double, opacity: Double = 0.95) {
        let picture = icons.picture(of: icon, side: Int(side.rounded()))
        let side = Double(picture.width)
        let frame = LayerRect(
            x: (rect.x + (rect.width - side) / 2).rounded(),
            y: (rect.y + (rect.height - side) / 2).rounded(), width: side, height: side)
        layers.append(
            Layer(.image(picture), frame: .pixels(frame), gravity: .resize, opacity: opacity))
    }

    /// A picture that fills a rectangle.
    package mutating func picture(_ picture: PixelBuffer, in rect: LayerRect, radius: Double) {
        var layer = Layer(.image(picture), frame: .pixels(rect), gravity: .resizeAspectFill)
        layer.cornerRadius = radius
        layers.append(layer)
    }

    /// Where in a rectangle a line stands.
    package enum Alignment {
        case left, center, right
    }

    /// A line of words, its middle at that of a rectangle; nothing where there is no font.
    ///
    /// - Parameter truncates: whether words that are wider than the rectangle end with an ellipsis in it.
    package mutating func text(
        _ text: String, in rect: LayerRect, size: Double, alignment: Alignment = .left,
        color: SIMD4<Float> = Palette.content, isBold: Bool = false, truncates: Bool = false
    ) {
        func picture(of text: String) -> PixelBuffer? {
            Self.picture(of: text, size: size, color: color, isBold: isBold)
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

    /// A picture of words that begins where the line does, whatever letters there are in it.
    package static func picture(
        of text: String, size: Double, color: SIMD4<Float> = Palette.content,
        isBold: Bool = false, maximumWidth: Int? = nil, family: String = "sans-serif"
    ) -> PixelBuffer? {
        var style = TextStyle(family: family, size: size, isBold: isBold, color: color)
        style.coversLines = true
        let picture = try? TextPictures.shared.picture(
            of: text, style: style, maximumWidth: maximumWidth)
        return picture ?? nil
    }

    /// A picture of a message, as `picture(of:size:maximumWidth:)` makes it of words.
    package static func picture(
        ofMessage text: String, size: Double, maximumWidth: Int
    ) -> PixelBuffer? {
        let words = shortened(text) { word in
            picture(of: word, size: size).map { $0.width <= maximumWidth } ?? true
        }
        return picture(of: words, size: size, maximumWidth: maximumWidth)
    }

    /// The words, with the last part alone of paths that no line has room for: they would be cut off before
    /// the name that they are about.
    static func shortened(_ text: String, fits: (String) -> Bool) -> String {
        // Whatever is shorter fits into any window that words are read in.
        let words = text.split(separator: " ", omittingEmptySubsequences: false).map { word in
            guard word.count > 24, let name = word.split(separator: "/").last,
                name.count < word.count, !fits(String(word))
            else { return String(word) }
            return "…/\(name)"
        }
        return words.joined(separator: " ")
    }
}
