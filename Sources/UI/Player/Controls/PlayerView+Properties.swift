// SPDX-License-Identifier: Apache-2.0

import PlayheadCommands

/// The properties of the video's appearance and of the controls.
extension PlayerView {
    func providePicture() {
        func number(
            _ property: PlayerProperty,
            _ path: any WritableKeyPath<PictureSettings, Double> & Sendable
        ) {
            controller.provide(
                property,
                PropertyAccess(get: { [weak self] in
                    (self?.pictureSettings[keyPath: path]).map { .number($0) }
                }) { [weak self] value in
                    self?.pictureSettings[keyPath: path] = value.number ?? 0
                    self?.rebuild()
                })
        }
        number(.contrast, \.contrast)
        number(.brightness, \.brightness)
        number(.gamma, \.gamma)
        number(.saturation, \.saturation)
        number(.hue, \.hue)
        number(.rotation, \.rotation)
        number(.zoom, \.zoom)
        number(.panX, \.pan.x)
        number(.panY, \.pan.y)
        number(.panScan, \.panScan)
        func flag(
            _ property: PlayerProperty,
            _ path: any WritableKeyPath<PictureSettings, Bool> & Sendable
        ) {
            controller.provide(
                property,
                PropertyAccess(get: { [weak self] in
                    (self?.pictureSettings[keyPath: path]).map { .flag($0) }
                }) { [weak self] value in
                    self?.pictureSettings[keyPath: path] = value.isTrue
                    self?.rebuild()
                })
        }
        flag(.deinterlace, \.isDeinterlaced)
        flag(.deband, \.isDebanded)
        provideAspectRatio()
        controller.provide(
            .controls,
            PropertyAccess(get: { [weak self] in (self?.controlsMode.rawValue).map { .text($0) } })
            { [weak self] value in
                self?.controlsMode = ControlsMode(rawValue: value.description) ?? .automatic
            })
    }

    private func provideAspectRatio() {
        var shape = PropertyValue.no
        controller.provide(
            .aspectRatio,
            PropertyAccess(get: { shape }) { [weak self] value in
                shape = value
                self?.pictureSettings.aspectRatio = value.ratio
                self?.rebuild()
            })
    }
}
