// SPDX-License-Identifier: Apache-2.0

public import PlayheadText

extension Layer {
    /// Returns a layer that shows text, with one pixel of it for each of the layer's.
    ///
    /// The image is made when this is called, unless it was made before for the same text: a layer
    /// that is created for every frame costs nothing until its text, style or width changes.
    ///
    /// - Parameters:
    ///   - frame: the frame of the text; parts outside of it are cut off.
    ///   - gravity: the position in the frame.
    ///   - maximumWidth: in pixels; longer lines are broken between words. Nil for no limit.
    /// - Concurrency: any thread; see `TextPictures`.
    /// - Throws: `TextError`, if no font has any of the characters.
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
