// SPDX-License-Identifier: Apache-2.0

import PlayheadAuthoring
import PlayheadLayers
import PlayheadPlayback
import PlayheadPresentation
import PlayheadWindow

/// The effects' inputs, beside the film.
extension PlayerWindow {
    func connectEffectPanel() {
        effectPanel.changeHandler = { [weak self] in self?.presenter.setNeedsDisplay() }
        effectPanel.visibilityHandler = { [weak self] isVisible in
            guard let self else { return }
            presenter.setMeasuresGPU(isVisible || messages.showsStatistics)
        }
        effectPanel.copyHandler = { [weak self] line in
            self?.window.clipboard = line
            self?.say("Copied")
        }
        effectPanel.pictureRect = { [weak self] in self?.pictureRect }
    }

    /// Where the film is seen, in pixels.
    private var pictureRect: LayerRect? {
        guard let size = player.currentItem?.presentationSize, size != .zero else { return nil }
        let window = window.framebufferSize
        let scale = min(Double(window.width) / size.width, Double(window.height) / size.height)
        let (width, height) = (size.width * scale, size.height * scale)
        return LayerRect(
            x: (Double(window.width) - width) / 2, y: (Double(window.height) - height) / 2,
            width: width, height: height)
    }

    func takesForEffectPanel(_ event: WindowEvent) -> Bool {
        let ratio = Double(window.framebufferSize.width) / Double(max(1, window.size.width))
        guard effectPanel.handle(event, pixelRatio: ratio) else { return false }
        rebuildScene()
        return true
    }
}
