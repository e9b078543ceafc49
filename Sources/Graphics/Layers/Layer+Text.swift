// SPDX-License-Identifier: Apache-2.0

public import PlayheadText

extension Layer {
    /// Returns a layer that shows text, with one pixel of the text's image for each pixel of the
    /// layer.
    ///
    /// The image is made by this call, unless an image of the same text exists already. A layer
    /// that is created for every frame therefore costs nothing until its text, style or width
    /// changes.
    ///
    /// - Parameters:
    ///   - frame: the frame of the text; parts outside of it are cut off.
    ///   - gravity: the position of the text in the frame.
    ///   - maximumWidth: the maximum width of a line, in pixels; longer lines are broken between
    ///     words. Nil for no limit.
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
