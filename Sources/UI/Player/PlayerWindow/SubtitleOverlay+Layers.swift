// SPDX-License-Identifier: Apache-2.0

import PlayheadLayers
import PlayheadSubtitles

extension SubtitleOverlay {
    /// Where they lie in a window: in the film's picture, and of words alone in as much of it as is
    /// seen, so that they are no larger and no farther away where the film is.
    func frame(over picture: LayerRect, width: Int, height: Int) -> LayerRect {
        let window = LayerRect(x: 0, y: 0, width: Double(width), height: Double(height))
        let seen = picture.intersection(window)
        return isPlainText && seen.width > 0 && seen.height > 0 ? seen : picture
    }

    /// Themselves as layers; what `PlayerView.subtitleProvider` asks for.
    func layers(over picture: LayerRect, width: Int, height: Int) -> [Layer] {
        let frame = frame(over: picture, width: width, height: height)
        return [Layer(.video(self), frame: .pixels(frame), gravity: .resize)]
    }
}
