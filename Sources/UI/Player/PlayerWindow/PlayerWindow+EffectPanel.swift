// SPDX-License-Identifier: Apache-2.0

import PlayheadLayers
import PlayheadPlayback
import PlayheadPresentation
import PlayheadWindow

/// The effect panel beside the video.
extension PlayerWindow {
    func connectEffectPanel() {
        effectPanel.changeHandler = { [weak self] in
            self?.presenter.setNeedsDisplay()
            self?.output?.setNeedsDisplay()
            self?.setNeedsUpdate()
        }
        effectPanel.visibilityHandler = { [weak self] _ in self?.followMeasuring() }
        effectPanel.copyHandler = { [weak self] line in
            self?.window.clipboard = line
            self?.say("Copied")
        }
        effectPanel.picturePlace = { [weak self] in self?.view.picturePlace(at: $0) }
        effectPanel.isCovered = { [weak self] in self?.view.covers($0) ?? false }
        view.filmArrangement = { [weak self] film in self?.effectPanel.layers(for: film) ?? [film] }
    }

    func takesForEffectPanel(_ event: WindowEvent) -> Bool {
        let ratio = Double(window.framebufferSize.width) / Double(max(1, window.size.width))
        if coversEffectPanel {
            // While a page covers the panel, the panel receives only the Tab key, which turns it
            // off.
            guard case .key(let key) = event, key.key == .tab else { return false }
        }
        guard effectPanel.handle(event, pixelRatio: ratio) else { return false }
        update()
        return true
    }
}
