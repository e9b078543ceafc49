// SPDX-License-Identifier: Apache-2.0

public import PlayheadText

extension Layer {
    /// A layer that shows text, a pixel of it for one of the layer.
    ///
    /// The picture is made when this is called, unless the same text was asked for before: a layer
    /// made anew for every frame costs nothing until its text, style or width changes.
    ///
    /// - Parameters:
    ///   - frame: where the text stands; what does not fit is cut off.
    ///   - gravity: where in the frame.
    ///   - maximumWidth: in pixels; longer lines are broken between words. Nil for no limit.
    /// - Concurrency: any thread; see `TextPictures`.
    /// - Throws: `TextError`, where there is no font.
    /// - Corresponds to: `CATextLayer`.
    public static func text(
        _ text: String, style: TextStyle = TextStyle(), frame: LayerFrame = .whole,
        gravity: LayerGravity = .topLeft, maximumWidth: Int? = nil,
        pictures: TextPictures = .shared
    ) throws(TextError) -> Layer {
        let picture = try pictures.picture(of: text, style: style, maximumWidth: maximumWidth)
        var layer = Layer(
            picture.map { .image($0) } ?? .none, frame: frame, gravity: gravity)
        layer.name = text
        return layer
    }
}
