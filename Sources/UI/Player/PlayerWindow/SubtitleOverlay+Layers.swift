// SPDX-License-Identifier: Apache-2.0

import PlayheadLayers
import PlayheadSubtitles

extension SubtitleOverlay {
    /// Returns the frame of the subtitles in a window, which is the rectangle of the video. Text
    /// subtitles use only its visible part, so that zooming the video does not enlarge or move
    /// them.
    func frame(over picture: LayerRect, width: Int, height: Int) -> LayerRect {
        let window = LayerRect(x: 0, y: 0, width: Double(width), height: Double(height))
        let seen = picture.intersection(window)
        return isPlainText && seen.width > 0 && seen.height > 0 ? seen : picture
    }

    /// Returns the subtitles as layers, for `PlayerView.subtitleProvider`.
    func layers(over picture: LayerRect, width: Int, height: Int) -> [Layer] {
        let frame = frame(over: picture, width: width, height: height)
        return [Layer(.video(self), frame: .pixels(frame), gravity: .resize)]
    }
}
