// SPDX-License-Identifier: Apache-2.0

import PlayheadAssets
import PlayheadCommands
import PlayheadImages
import PlayheadLayers
import PlayheadPlayback
package import PlayheadTime
package import PlayheadWindow

/// Control by the pointer.
extension PlayerView {
    /// Handles an event of the window that shows the view.
    ///
    /// - Parameters:
    ///   - time: The time on the host clock.
    ///   - pixelRatio: The number of pixels in a screen coordinate.
    /// - Returns: A Boolean value that indicates whether the controls handled the event. If so,
    ///   nothing else should handle it.
    package func handle(
        _ event: WindowEvent, at time: MediaTime = HostClock.shared.time, pixelRatio: Double = 1
    ) -> Bool {
        func place(_ point: WindowPoint) -> SIMD2<Double> { SIMD2(point.x, point.y) * pixelRatio }
        switch event {
        case .pointerMoved(let point):
            // The first position after the pointer entered does not count as a movement, because
            // the window may have moved under it.
            if !hasPointerJustEntered { visibility.use(at: time) }
            hasPointerJustEntered = false
            move(to: place(point))
            return state.pressed != nil
        case .pointerEntered(let isInside):
            isInside ? visibility.enter(at: time) : visibility.leave()
            hasPointerJustEntered = isInside
            if !isInside { pointer = nil }
            if !isInside, state.pressed == nil { (state.hovered, state.preview) = (nil, nil) }
            return false
        case .button(let button) where button.button == .left:
            visibility.use(at: time)
            return button.isPressed
                ? press(at: place(button.position)) : release(at: place(button.position))
        case .scrolled(let scroll): return turnWheel(scroll, at: place(scroll.position))
        case .key(let key): return press(key, at: time)
        default: return false
        }
    }

    /// Handles the pointer's position: drags the pressed element, or finds the element under the
    /// pointer.
    func move(to point: SIMD2<Double>) {
        pointer = point
        switch state.pressed {
        case .scrubber: scrub(to: layout.fraction(at: point.x))
        case .volumeSlider: setVolume(layout.volume(at: point.x))
        default:
            state.hovered = isShown ? layout.element(at: point) : nil
            state.hoveredItem = menuLayout?.item(at: point)
            preview(state.hovered == .scrubber ? layout.fraction(at: point.x) : nil)
        }
    }

    /// Handles a press of a pointer button.
    ///
    /// - Returns: A Boolean value that indicates whether the controls were pressed.
    private func press(at point: SIMD2<Double>) -> Bool {
        guard isShown else { return false }
        state.focused = nil
        if let menu = menuLayout {
            if let item = menu.item(at: point) {
                choose(item)
                return true
            }
            let element = layout.element(at: point)
            if element?.menu != state.openMenu { state.openMenu = nil }
            if element == nil { return true }
        }
        guard let element = layout.element(at: point) else { return layout.covers(point) }
        state.pressed = element
        switch element {
        case .scrubber:
            controller.rememberTime()
            resumesAfterScrubbing = player.timeControlStatus != .paused
            // Playback is paused while the scrubber is dragged.
            player.pause()
            scrub(to: layout.fraction(at: point.x))
        case .volumeSlider: setVolume(layout.volume(at: point.x))
        default: break
        }
        return true
    }

    private func release(at point: SIMD2<Double>) -> Bool {
        guard let pressed = state.pressed else { return isShown && layout.covers(point) }
        state.pressed = nil
        if pressed == .scrubber {
            if resumesAfterScrubbing { player.play() }
        } else if !pressed.isSlider, layout.element(at: point) == pressed {
            activate(pressed)
        }
        move(to: point)
        return true
    }

    /// Ends a press without the action of its release, which goes elsewhere.
    func endPress() {
        guard let pressed = state.pressed else { return }
        state.pressed = nil
        if pressed == .scrubber, resumesAfterScrubbing { player.play() }
    }

    private func turnWheel(_ scroll: ScrollEvent, at point: SIMD2<Double>) -> Bool {
        guard isShown else { return false }
        if let menu = menuLayout, menu.panel.contains(point) {
            // Scrolling up shows earlier items. A slow movement counts as one step.
            let steps = scroll.y.rounded(.awayFromZero)
            let last = menu.itemCount - menu.rows.count
            state.firstItem = Int(min(max(Double(menu.firstItem) - steps, 0), Double(last)))
            move(to: point)
            return true
        }
        guard layout.element(at: point) == .scrubber else { return false }
        let turn = scroll.y != 0 ? scroll.y : -scroll.x
        let step = MediaTime(value: turn > 0 ? 5 : -5, timescale: 1)
        perform(.seek(.relative(step), precision: .exact))
        return true
    }

    // MARK: Actions

    /// Performs the action of an element.
    func activate(_ element: ControlElement) {
        switch element {
        case .play: perform(.cycle(.pause))
        case .back: perform(.seek(.relative(MediaTime(value: -10, timescale: 1))))
        case .forward: perform(.seek(.relative(MediaTime(value: 10, timescale: 1))))
        case .volume: perform(.cycle(.mute))
        case .fullscreen: perform(.cycle(.fullscreen))
        case .live: perform(.seekLive)
        case .speed, .audio, .subtitles:
            state.openMenu = state.openMenu == element.menu ? nil : element.menu
            (state.hoveredItem, state.firstItem) = (nil, 0)
            state.preview = nil
            if let chosen = chosenItem { reveal(chosen) }
        case .scrubber, .volumeSlider: break
        }
    }

    /// The index of the chosen item in the open menu.
    var chosenItem: Int? {
        state.openMenu.flatMap { model.menus[$0]?.items.firstIndex(where: \.isChosen) }
    }

    /// Scrolls the open menu so that an item is visible.
    func reveal(_ item: Int) {
        if let menu = menuLayout { state.firstItem = menu.firstItem(revealing: item) }
    }

    /// Chooses an item of the open menu.
    func choose(_ item: Int) {
        guard let kind = state.openMenu, let menu = model.menus[kind],
            menu.items.indices.contains(item)
        else { return }
        perform(menu.items[item].command)
        state.openMenu = nil
    }

    /// Performs a command without a message on screen, since the controls show its effect.
    private func perform(_ command: PlayerCommand) {
        do throws(CommandError) {
            try controller.perform(command, isSilent: true)
        } catch {
            show(.text("\(error)"))
        }
    }

    /// Seeks to a position of the scrubber. While the pointer moves, frames are shown as fast as
    /// the decoder delivers them. When the pointer rests, the exact frame is shown.
    func scrub(to fraction: Double) {
        guard let item = player.currentItem, let range = item.scrubbingRange else { return }
        item.seek(
            to: range.start + range.duration * fraction, toleranceBefore: .zero,
            toleranceAfter: .zero)
        preview(fraction)
    }

    func setVolume(_ volume: Double) {
        perform(.set(.volume, .number((volume * 100).rounded())))
    }

    /// Shows a preview of a position of the scrubber; nil hides the preview.
    private func preview(_ fraction: Double?) {
        guard let fraction, let item = player.currentItem, let range = item.scrubbingRange else {
            state.preview = nil
            return
        }
        let time = range.start + range.duration * fraction
        let shown = model.kind == .live ? time - range.end : time
        let chapter = item.chapters.last { $0.timeRange.start <= time }
        state.preview = ControlsState.Preview(
            fraction: fraction,
            time: ControlsModel.clock(Int(shown.seconds), likeThoseOf: model.total),
            chapter: chapter?.title,
            picture: thumbnailStore(for: item)?.picture(at: fraction))
    }

    private func thumbnailStore(for item: PlayerItem) -> ThumbnailStore? {
        if let thumbnails { return thumbnails }
        guard model.kind == .film, layout.style == .floating else { return nil }
        if case .remote? = (item.asset as? URLAsset)?.location { return nil }
        let side = layout.points(176)
        let store = ThumbnailStore(
            asset: item.asset, duration: item.end, size: (Int(side), Int(side * 0.7)))
        store.changeHandler = { [weak self] in
            guard let self, let fraction = state.preview?.fraction else { return }
            preview(fraction)
            update()
        }
        thumbnails = store
        return store
    }

    /// Returns whether the controls or their menu are visible at a point, which is in pixels from
    /// the upper left corner.
    package func covers(_ point: SIMD2<Double>) -> Bool {
        isShown && (layout.covers(point) || menuLayout?.panel.contains(point) == true)
    }
}
