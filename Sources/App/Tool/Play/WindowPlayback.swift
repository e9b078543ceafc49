// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PlayheadUI

/// `play`: plays media in a window.
@MainActor final class WindowPlayback {
    private let settings: PlaySettings
    private let problems: ProblemLog
    private let sound: AudioDevice
    private let player: QueuePlayer
    private let window: PlayerWindow
    private let films: PlaylistController
    /// The item for which remarks have been printed.
    private var remarked: PlayerItem?
    private var hasStarted = false
    private var isFitted: Bool
    private var isRunning = true
    private var screenshots: ScreenshotNames
    private let savedMonitor = SavedMonitor()
    private var table: FrameTable?
    private var live: LiveEffects?
    private var freed = FreedMemory()
    private var services: WindowServices?
    private var transition: VideoTransition?
    private var endQuestion = EndQuestion()

    init(_ settings: PlaySettings) throws {
        self.settings = settings
        problems = settings.problems
        let options = settings.options
        screenshots = ScreenshotNames(options)
        // Files that are chosen in a folder one after another share a window of one size.
        let beginsInFolder = settings.folder != nil && settings.films.isEmpty
        isFitted = options.window.size != nil || options.window.fullscreen || beginsInFolder
        var configuration = WindowConfiguration(title: "Playhead")
        if let size = options.window.size {
            configuration.size = WindowSize(width: size.width, height: size.height)
        }
        try options.window.windowSystem.select()
        // A size that the user requests is in pixels.
        configuration.refreshRate = options.window.displayFps
        configuration.swapInterval = options.window.vsync ? .vsync : .immediate
        configuration.isScaledToMonitor =
            options.window.hidpiWindowScale && options.window.size == nil
        if let index = options.window.monitor {
            configuration.fullscreenMonitor = try Self.monitor(index, of: "--monitor")
        } else if options.window.fullscreen {
            configuration.fullscreenMonitor =
                try savedMonitor.monitor ?? Self.monitor(0, of: "--fullscreen")
        }
        sound = AudioDevice(
            settings.options.sound, title: settings.files.first ?? "Playhead", isMutable: true)
        // Without a device, the duration of the audio still counts.
        player = QueuePlayer(audioSink: sound.sink ?? NullAudioSink())
        player.isMuted = options.sound.mute
        player.volume = Float(options.sound.volume / 100)
        // The file is opened, and its first frames are decoded, while the window is created.
        films = PlaylistController(settings, player)
        do {
            window = try PlayerWindow(
                player: player, configuration: configuration, effects: settings.effects,
                background: settings.background,
                // A size that the user requests takes precedence over the aspect ratio.
                keepsAspectRatio: options.window.size == nil && !beginsInFolder
            ) { [settings] in settings.makeAsset($0) }
        } catch {
            player.removeAllItems()
            throw error
        }
        if let remark = WindowSystem.remark { Console.note(remark) }
        if configuration.fullscreenMonitor == nil { savedMonitor.place(window.window) }
        if let index = options.window.outputMonitor {
            try window.showFilm(on: Self.monitor(index, of: "--output-monitor"))
        }
        transition = settings.makeTransition(
            of: player, window.view.output, hasAudio: sound.sink != nil)
        if let transition {
            let arrangement = window.view.filmArrangement
            window.view.filmArrangement = { film in
                let film = transition.layer(for: film)
                return arrangement?(film) ?? [film]
            }
        }
        live = LiveEffects(settings) { [weak window] outcome in
            guard let window else { return }
            // Errors of effects that the panel lists are not repeated on screen.
            var isListed = true
            if let instance = outcome.instance {
                window.effectPanel.show(outcome.error, of: instance)
                isListed = window.effectPanel.effects.contains { $0 === instance }
            } else {
                window.effectPanel.showPresetError(outcome.error)
            }
            if !isListed || outcome.error == nil { window.say(outcome.line) }
            window.presenter.setNeedsDisplay()
        }
    }

    private static func monitor(_ index: Int, of option: String) throws -> DisplayMonitor {
        let monitors = try DisplayMonitor.all()
        guard monitors.indices.contains(index) else {
            throw ToolError(
                .wrongUsage,
                "\(option) \(index): there are \(monitors.count) monitors, counted from 0; list "
                    + "them with 'playhead doctor'")
        }
        return monitors[index]
    }

    func run() throws {
        player.defaultRate = settings.options.speed
        window.presenter.ledger.recordStart(hostTime: HostClock.shared.time)
        if settings.options.statsCsv != nil { table = FrameTable(window.presenter.ledger) }
        settings.options.subtitles.apply(to: window.subtitles)
        window.locksToDisplay = settings.options.sync == .display
        if settings.options.measuresGPU { window.measuresGPU = true }
        // The window is closed before this method returns, and calls no handler afterwards.
        window.closeHandler = { [unowned self] in isRunning = false }
        window.dropHandler = { [unowned self] in open(dropped: $0) }
        window.screenshotHandler = { [unowned self] in try save($0, to: $1) }
        window.controller.playlist = films
        connectBrowser()
        window.controller.provide(
            .allocatedBytes,
            PropertyAccess(get: { ProcessHeap.allocatedByteCount.map { .number(Double($0)) } }))
        window.controller.addPerformer { [unowned self] (command) in
            // Files of removed effects are no longer watched. The window removes the effects.
            if command == .clearEffects { window.effects.forEach { live?.unwatch($0) } }
            return false
        }
        let services = try WindowServices(settings.options, window, problems) { [unowned self] in
            isRunning = false
        }
        self.services = services
        window.trimView.saveHandler = { try await TrimSaver.save($0, progress: $1) }
        window.controller.addPerformer { [unowned self] (command) in
            // Marks that are not saved hold the program until the user has answered.
            switch command {
            case .quit, .quitWatchLater: !window.mayQuit(by: command)
            default: false
            }
        }
        defer { services.close(films.item, films.current?.file) }
        while isRunning {
            MainLoop.shared.turn(waitingAtMost: rest)
            look()
            services.look(
                films.item, player, window.presenter.ledger.statistics)
        }
        try finish()
        if let status = services.exitStatus {
            if status != 0 { throw ExitCode(Int32(status)) }
            return
        }
        try problems.throwStatus()
    }

    /// The longest time for which the loop sleeps, in seconds; nil to sleep until an event. Events
    /// and tasks end the sleep, and changes of the player arrive as tasks.
    private var rest: Double? {
        if !hasStarted, player.currentItem == nil { return freed.remaining }
        guard hasStarted, player.timeControlStatus == .paused else { return 0.02 }
        // Transitions and the limit of frames need the loop even during a pause.
        if transition != nil || settings.options.frames != nil { return 0.1 }
        return freed.remaining
    }

    /// Performs the work between two events.
    private func look() {
        for problem in window.presenter.takeProblems() {
            if let line = problems.note(problem) { window.say(line) }
        }
        films.isHeld = window.trimView.keepsFile
        // The end of a file that stays open is not blended.
        if !films.isHeld, transition?.update() == true { window.view.rebuild() }
        let presented = window.presenter.ledger.presentedCount
        if films.limits.areFramesReached(presented) { isRunning = false }
        let change = films.update()
        table?.read(film: films.playedIndex)
        if case .film = change { freed.noteChange() }
        freed.look()
        askAtEnd()
        if case .over = change, !window.controller.isRepeating { filmsAreOver() }
        guard let item = films.item, item === player.currentItem, item.status == .readyToPlay else {
            return
        }
        if case .round = change { remarked = item }
        if remarked !== item {
            // Memory is largest at the first frame. Code that only the start needed is released
            // before.
            if remarked == nil {
                MappedCode.releaseOwn()
                MappedCode.release("libLLVM")
            }
            remarked = item
            remark(on: item)
            fit(to: item)
        }
        if let error = item.subtitleError, let line = problems.note(error) { window.say(line) }
        // Drivers compile shaders at the first draw call, which takes as long as several frames.
        // Playback starts after that. Cover art is drawn by the controls and needs no wait.
        if !hasStarted, presented > 0 || item.playingTracks.video?.isAttachedPicture != false {
            hasStarted = true
            // Software OpenGL, and drivers that compile with LLVM, seldom need it again.
            MappedCode.release("libLLVM")
            if !settings.options.window.pause { player.play() }
        }
        if films.current?.isNamed == true, !films.isHeld,
            films.limits.isDurationReached(at: item.currentTime)
        {
            playNext()
        }
        if player.timeControlStatus == .playing { films.addNext() }
    }

    private func remark(on item: PlayerItem) {
        guard let film = films.current else { return }
        sound.setTitle(of: item, film.file)
        do {
            if film.isNamed {
                try settings.checkStart(of: item, film.file)
                try services?.beginPart(of: item, film.file)
            }
            films.noteBegun()
            if let time = services?.resume(item, film.file) { films.beginFilm(at: time) }
            let lines = settings.remarks(on: item, of: film.file, sound)
            for line in lines where problems.remark(line) { window.say(line) }
        } catch {
            let line = problems.note(error)
            films.noteFailure()
            playNext()
            if let line { window.say(line) }
        }
    }

    // MARK: One after another

    private func filmsAreOver() {
        if settings.options.window.idle { return }
        if settings.folder != nil {
            let error = player.currentItem?.error
            window.returnToBrowser()
            if let error { window.say(error.description) }
            return
        }
        // For a dropped file, the window shows the error and stays open.
        if player.currentItem?.error == nil || films.current?.isNamed != false { isRunning = false }
    }

    /// Asks about marks that are not saved if the file has played to its end.
    private func askAtEnd() {
        let hasEnded =
            films.isHeld && films.item?.hasPlayedToEnd == true && !films.isLooping
            && !window.controller.isRepeating
        let state = EndQuestion.State(
            hasEnded: hasEnded, isTrimming: window.trimView.isVisible, hasNext: films.hasNext,
            hasFolder: settings.folder != nil, isIdle: settings.options.window.idle)
        switch endQuestion.next(state) {
        // The next file plays once this one is no longer held.
        case .nextFile: _ = window.mayLeaveFile {}
        case .folder: window.returnToBrowser()
        case .quit: _ = window.mayQuit()
        case nil: break
        }
    }

    /// Plays the next file. At the end, stops with `--idle`, and otherwise shows the folder or
    /// quits.
    private func playNext() {
        if films.advance() { return }
        if settings.options.window.idle {
            films.stop()
        } else if settings.folder != nil {
            window.returnToBrowser()
        } else {
            isRunning = false
        }
    }

    // MARK: Folders

    private func connectBrowser() {
        let view = window.browserView
        view.folderReader = { try FolderListing.contents(of: $0, trail: $1) }
        view.makeAsset = { URLAsset($0) }
        view.playHandler = { [unowned self] in play($0, at: $1) }
        view.defaultFolder = { UserFolders.videos }
        window.browserFolder = { [unowned self] in
            films.current.flatMap { BrowsedFolder.folder(of: $0.file) }
        }
        guard let folder = settings.folder else { return }
        view.isHome = true
        let first = settings.films.first.flatMap { BrowsedFolder.path(of: $0.file) }
        view.open(folder, selecting: first.map { ExactPath($0).absolute.text })
        if settings.films.isEmpty { view.show() }
    }

    /// Plays the files of a folder, beginning with the one that the user has chosen.
    private func play(_ files: [String], at index: Int) {
        window.browserView.hide()
        guard window.mayLeaveFile(then: { [weak self] in self?.play(files, at: index) }) else {
            return
        }
        films.noteDamage(of: films.item)
        films.replace(with: files.map { PlaylistEntry(file: $0) }, at: index)
        isFitted = true
        if hasStarted { player.play() }
    }

    /// Plays dropped files instead of the current playlist.
    private func open(dropped paths: [String]) {
        if window.browserView.isVisible, paths.count == 1,
            FileIdentity(paths[0])?.isDirectory == true
        {
            return window.browserView.open(ExactPath(paths[0]).absolute.text)
        }
        let subtitles = paths.filter { path in
            SubtitleFile.extensions.contains((path as NSString).pathExtension.lowercased())
        }
        for path in subtitles {
            do throws(CommandError) {
                try window.perform(.subtitleAdd(path))
            } catch {
                Console.note(error.description)
                window.say(error.description)
            }
        }
        let films = paths.filter { !isLook($0) && !subtitles.contains($0) }
        for path in paths where isLook(path) { apply(dropped: path) }
        if !films.isEmpty { open(films: films) }
    }

    /// Returns whether a file has the extension of an effect, a LUT or a preset.
    private func isLook(_ path: String) -> Bool {
        [".fs", ".frag", ".glsl", ".cube", ".json"].contains { path.lowercased().hasSuffix($0) }
    }

    /// Adds an effect after the others, or applies a preset.
    private func apply(dropped path: String) {
        do {
            if path.lowercased().hasSuffix(".json") {
                let preset = try EffectPreset(path: path)
                if window.effects.isEmpty {
                    window.effects = try preset.makeInstances()
                    for effect in window.effects { live?.watch(effect) }
                } else {
                    try preset.apply(to: window.effects) { try EffectLibrary.picture(path: $0) }
                }
            } else {
                let effect = EffectInstance(try EffectLibrary.load(path))
                if effect.hearsSound { effect.sound = settings.analyzer }
                window.effects.append(effect)
                live?.watch(effect)
            }
            window.presenter.setNeedsDisplay()
        } catch {
            Console.report(error.excerpt)
            window.say(ToolError(error).description)
        }
    }

    private func open(films paths: [String]) {
        let listed = PlaylistReader.entries(paths) { error in
            if let line = problems.note(error) { window.say(line) }
        }
        guard !listed.isEmpty else { return }
        window.browserView.hide()
        guard window.mayLeaveFile(then: { [weak self] in self?.open(films: paths) }) else { return }
        films.noteDamage(of: films.item)
        films.replace(with: listed)
        // The player stopped at the end of a file.
        if hasStarted { player.play() }
    }

    // MARK: The window

    /// Sets the window's size to that of the first video, within four fifths of the screen.
    private func fit(to item: PlayerItem) {
        guard !isFitted, let monitor = window.window.monitor else { return }
        isFitted = true
        let shown = window.window
        // On Wayland, sizes are in points already.
        let ratio = Double(shown.framebufferSize.width) / Double(max(1, shown.size.width))
        let scale =
            (settings.options.window.hidpiWindowScale ? shown.contentScale : 1) / max(0.01, ratio)
        let size = settings.displaySize(
            of: item, scaledBy: scale,
            fittingInto: (0.8 * Double(monitor.size.width), 0.8 * Double(monitor.size.height)))
        window.window.size = WindowSize(width: size.width, height: size.height).grown(to: .least)
    }

    /// Writes a screenshot to a path. If the path is nil, the template determines it.
    private func save(_ image: RGBAImage, to path: String?) throws {
        do {
            let path = try path ?? screenshots.next(screenshotFacts)
            try OutputFile.checkPicture(path)
            try OutputFile.write(image, to: path)
            window.say("Screenshot: \(path)")
            Console.print(path)
        } catch {
            let error = ToolError(error)
            Console.note(error.description)
            throw error
        }
    }

    private var screenshotFacts: ScreenshotTemplate.Facts {
        ScreenshotTemplate.Facts(
            file: InputFile.name(films.current?.file ?? ""), time: films.item?.currentTime ?? .zero,
            date: Int(Date().timeIntervalSince1970)
        ) { [controller = window.controller] property in
            MainActor.assumeIsolated { controller.value(of: property)?.description }
        }
    }

    private func finish() throws {
        live?.stop()
        player.pause()
        films.noteDamage(of: films.item)
        let image = settings.options.screenshot == nil ? nil : window.presenter.image()
        let statistics = window.presenter.ledger.statistics
        let capabilities = window.window.context.capabilities
        let played = films.played
        let renderer = window.presenter.rendererState()
        savedMonitor.save(window.window.monitor)
        window.close()
        // This has cancelled a save, whose temporary file is removed now.
        while window.trimView.isWriting { MainLoop.shared.turn(waitingAtMost: 0.05) }
        if let path = settings.options.statsCsv { try table?.write(to: path) }
        if let path = settings.options.screenshot, let image {
            try OutputFile.write(image, to: path)
        }
        if let path = settings.options.statsJson, films.item != nil {
            try PlayReport(
                films: played, frames: statistics, capabilities: capabilities, renderer: renderer
            ).write(to: path)
        }
    }
}
