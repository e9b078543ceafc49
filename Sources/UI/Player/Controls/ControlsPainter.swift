// SPDX-License-Identifier: Apache-2.0

import PlayheadBuffers
import PlayheadLayers
import PlayheadTime

/// Builds the layers of the controls.
///
/// - Concurrency: the main thread.
@MainActor struct ControlsPainter {
    let layout: ControlsLayout
    let menuLayout: MenuLayout?
    let model: ControlsModel
    let state: ControlsState
    /// The right edge of the space for the title, in pixels.
    private let contentRight: Double
    private var painter: PanelLayers

    init(
        layout: ControlsLayout, menuLayout: MenuLayout?, model: ControlsModel,
        state: ControlsState, icons: IconPictures, contentRight: Double? = nil
    ) {
        self.layout = layout
        self.menuLayout = menuLayout
        self.model = model
        self.state = state
        self.contentRight = contentRight ?? layout.width
        painter = PanelLayers(scale: layout.scale, icons: icons)
    }

    /// All layers of the controls, from back to front.
    mutating func layers() -> [Layer] {
        painter.panel(layout.panel, radius: layout.cornerRadius)
        paintTitle()
        paintButtons()
        paintVolume()
        paintTimes()
        paintScrubber()
        paintPreview()
        paintMenu()
        return painter.layers
    }

    /// Adds the title at the upper edge, if the window is in full screen.
    private mutating func paintTitle() {
        guard model.isFullscreen, !model.title.isEmpty, layout.style == .floating else { return }
        let (size, inset) = (layout.points(15), layout.points(16))
        guard let picture = PanelLayers.picture(of: model.title, size: size, isBold: true) else {
            return
        }
        let width = min(Double(picture.width) + 2 * inset, contentRight - 2 * inset)
        guard width > 4 * inset else { return }
        let panel = LayerRect(
            x: ((contentRight - width) / 2).rounded(), y: layout.points(16), width: width,
            height: layout.points(34))
        painter.panel(panel, radius: layout.points(10))
        painter.text(
            model.title, in: panel.inset(by: inset / 2), size: size, alignment: .center,
            isBold: true, truncates: true)
    }

    // MARK: Buttons

    private mutating func paintButtons() {
        for element in ControlElement.allCases where !element.isSlider {
            guard let rect = layout.elements[element] else { continue }
            paintGround(of: element, rect)
            switch element {
            case .speed:
                painter.text(
                    speedText, in: rect, size: layout.points(13), alignment: .center,
                    isBold: true)
            // The mark is painted with the times.
            case .live: break
            default:
                painter.icon(
                    icon(of: element), in: rect,
                    side: layout.points(element == .play && layout.style == .floating ? 32 : 21))
            }
        }
        if let focused = state.focused, focused.isSlider, let rect = layout.elements[focused] {
            paintGround(of: focused, rect)
        }
    }

    private mutating func paintGround(of element: ControlElement, _ rect: LayerRect) {
        let isOpen = element.menu != nil && element.menu == state.openMenu
        let radius = layout.points(8)
        if state.focused == element {
            painter.fill(rect, PanelPalette.focus, radius: radius)
            // A different shade alone would not be visible enough.
            let line = layout.points(2)
            painter.fill(
                LayerRect(
                    x: rect.x + radius, y: rect.y + rect.height - line,
                    width: max(0, rect.width - 2 * radius), height: line),
                PanelPalette.content, radius: line / 2)
        } else if state.pressed == element || isOpen {
            painter.fill(rect, PanelPalette.focus, radius: radius)
        } else if state.hovered == element {
            painter.fill(rect, PanelPalette.hover, radius: radius)
        }
    }

    private func icon(of element: ControlElement) -> Icon {
        switch element {
        case .volume, .volumeSlider:
            model.isMuted || model.volume == 0
                ? .volumeMuted : model.volume < 0.5 ? .volumeLow : .volumeHigh
        case .back: .back
        case .forward: .forward
        case .play: model.hasEnded ? .replay : model.isPlaying ? .pause : .play
        case .audio: .audio
        case .subtitles: .subtitles
        case .fullscreen: model.isFullscreen ? .leaveFullscreen : .fullscreen
        case .speed, .scrubber, .live: .play
        }
    }

    private var speedText: String {
        let hundredths = Int((model.speed.magnitude * 100).rounded())
        var digits = "\(hundredths / 100)"
        if hundredths % 100 != 0 {
            digits +=
                ".\(hundredths / 10 % 10)" + (hundredths % 10 == 0 ? "" : "\(hundredths % 10)")
        }
        return (model.speed < 0 ? "−" : "") + digits + "×"
    }

    // MARK: Lines

    /// Adds the part of a track between two fractions of its length.
    private mutating func paintLine(
        _ track: LayerRect, _ range: ClosedRange<Double>, _ color: SIMD4<Float>
    ) {
        let (from, to) = (track.x + track.width * range.lowerBound, range.upperBound)
        let end = track.x + track.width * to
        guard end - from >= 0.5 else { return }
        painter.fill(
            LayerRect(x: from, y: track.y, width: end - from, height: track.height), color,
            radius: track.height / 2)
    }

    private mutating func paintKnob(_ track: LayerRect, _ fraction: Double, diameter: Double) {
        let diameter = layout.points(diameter)
        let middle = SIMD2(track.x + track.width * fraction, track.y + track.height / 2)
        painter.fill(
            LayerRect(
                x: middle.x - diameter / 2, y: middle.y - diameter / 2, width: diameter,
                height: diameter), [1, 1, 1, 1], radius: diameter / 2)
    }

    private func isHeld(_ element: ControlElement) -> Bool {
        state.hovered == element || state.pressed == element || state.focused == element
    }

    private mutating func paintVolume() {
        guard layout.elements[.volumeSlider] != nil else { return }
        let volume = model.isMuted ? 0 : model.volume
        paintLine(layout.volumeTrack, 0...1, PanelPalette.line)
        paintLine(layout.volumeTrack, 0...volume, PanelPalette.content)
        paintKnob(layout.volumeTrack, volume, diameter: isHeld(.volumeSlider) ? 13 : 10)
    }

    private mutating func paintScrubber() {
        guard layout.track.width > 0 else { return }
        var track = layout.track
        if isHeld(.scrubber) {
            let growth = layout.points(1)
            track.y -= growth
            track.height += 2 * growth
        }
        paintLine(track, 0...1, PanelPalette.line)
        guard model.isSeekable else {
            if model.kind == .live { paintLine(track, 0...1, PanelPalette.line) }
            return
        }
        for range in model.loaded { paintLine(track, range, PanelPalette.loaded) }
        paintLine(track, 0...model.progress, PanelPalette.content)
        let gap = layout.points(2)
        for mark in model.chapterMarks {
            painter.fill(
                LayerRect(
                    x: (track.x + track.width * mark - gap / 2).rounded(), y: track.y, width: gap,
                    height: track.height), PanelPalette.mark)
        }
        if let loop = model.loop {
            var line = track
            line.y += track.height + layout.points(3)
            line.height = layout.points(2)
            paintLine(line, loop, PanelPalette.loop)
        }
        paintKnob(track, model.progress, diameter: isHeld(.scrubber) ? 15 : 11)
    }

    // MARK: Times

    private mutating func paintTimes() {
        let size = layout.labelSize
        if let rect = layout.elapsedLabel {
            // The text is aligned to the track, so that the gap is the same for any time.
            painter.text(
                model.elapsedText, in: rect, size: size,
                alignment: layout.style == .floating ? .left : .right)
        }
        if let rect = layout.remainingLabel {
            painter.text(
                model.remainingText, in: rect, size: size, alignment: .right,
                color: PanelPalette.dim)
        }
        if let rect = layout.liveLabel {
            let badge = LayerRect(
                x: rect.x, y: rect.y + rect.height / 2 - layout.points(9), width: rect.width,
                height: layout.points(18))
            painter.fill(
                badge, model.isAtLive ? PanelPalette.live : PanelPalette.line,
                radius: layout.points(4))
            painter.text(
                "LIVE", in: badge, size: layout.points(11), alignment: .center, isBold: true)
        }
    }

    // MARK: Preview and menu

    private mutating func paintPreview() {
        guard let preview = state.preview, state.openMenu == nil else { return }
        let (inset, size) = (layout.points(4), layout.points(12.5))
        let textHeight = layout.points(20)
        let hasChapter = preview.chapter?.isEmpty == false
        var (width, height) = (layout.points(68), textHeight + 2 * inset)
        var pictureSize = (width: 0.0, height: 0.0)
        if let picture = preview.picture {
            pictureSize = (Double(picture.width), Double(picture.height))
            width = max(width, pictureSize.width + 2 * inset)
            height += pictureSize.height
        }
        var chapter: PixelBuffer?
        if hasChapter, let title = preview.chapter {
            chapter = PanelLayers.picture(of: title, size: size, color: PanelPalette.dim)
            width = max(
                width, min(Double(chapter?.width ?? 0) + 4 * inset, layout.width - 4 * inset))
            height += textHeight
        }
        let middle = layout.track.x + layout.track.width * preview.fraction
        let margin = layout.points(8)
        let panel = LayerRect(
            x: min(max(middle - width / 2, margin), layout.width - width - margin).rounded(),
            y: (min(layout.panel.y, layout.track.y - layout.points(14)) - height
                - layout.points(8)).rounded(),
            width: width, height: height)
        guard panel.y >= 0 else { return }
        painter.panel(panel, radius: layout.points(8))
        var y = panel.y + inset
        if let picture = preview.picture {
            painter.picture(
                picture,
                in: LayerRect(
                    x: panel.x + (panel.width - pictureSize.width) / 2, y: y,
                    width: pictureSize.width, height: pictureSize.height),
                radius: layout.points(5))
            y += pictureSize.height
        }
        if hasChapter, let title = preview.chapter {
            painter.text(
                title,
                in: LayerRect(
                    x: panel.x + inset, y: y, width: panel.width - 2 * inset, height: textHeight),
                size: size, alignment: .center, color: PanelPalette.dim, truncates: true)
            y += textHeight
        }
        painter.text(
            preview.time, in: LayerRect(x: panel.x, y: y, width: panel.width, height: textHeight),
            size: size, alignment: .center)
    }

    private mutating func paintMenu() {
        guard let kind = state.openMenu, let menu = model.menus[kind], let menuLayout else {
            return
        }
        painter.panel(menuLayout.panel, radius: layout.points(10))
        let size = layout.points(13)
        painter.text(
            menu.title, in: menuLayout.title, size: layout.points(12),
            color: PanelPalette.dim, isBold: true)
        for (index, row) in zip(menuLayout.items, menuLayout.rows) {
            let item = menu.items[index]
            if state.hoveredItem == index {
                painter.fill(row, PanelPalette.focus, radius: layout.points(6))
            }
            let mark = layout.points(26)
            if item.isChosen {
                painter.icon(
                    .check, in: LayerRect(x: row.x, y: row.y, width: mark, height: row.height),
                    side: layout.points(14))
            }
            let block = TextBlock(
                item.title, TextLook(size: size), room: row.width - mark - layout.points(8))
            painter.block(
                block,
                in: LayerRect(
                    x: row.x + mark, y: row.y + ((row.height - block.height) / 2).rounded(),
                    width: row.width - mark - layout.points(8), height: block.height))
        }
        let width = layout.points(3)
        if let scroller = menuLayout.scroller(width: width) {
            painter.fill(scroller, PanelPalette.line, radius: width / 2)
        }
    }
}
