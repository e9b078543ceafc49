// SPDX-License-Identifier: Apache-2.0

import Glibc
package import PlayheadBuffers
package import PlayheadGL
import PlayheadThreads
import Synchronization

/// Keeps effects as their files are: loads a file again when it, or anything that it includes or
/// imports, is saved, and has its instances drawn with it from the next frame on.
///
/// Nothing of that happens on a thread that draws. A file that cannot be read as an effect, or does
/// not compile, changes nothing: the last good state of the effect goes on, with its values and
/// persistent buffers, and the handler is told what is wrong.
///
/// ```swift
/// let watcher = try EffectWatcher { event in
///     if case .failed(_, let error) = event { show(error.excerpt) }
///     presenter.setNeedsDisplay()
/// }
/// watcher.watch(glow)
/// ```
///
/// - Concurrency: any thread. It has a thread of its own, which calls the handler.
/// - Ownership: instances are held weakly. Dropping the watcher ends watching.
public final class EffectWatcher: Sendable {
    /// The result of a save.
    public enum Event: Sendable {
        /// The instance is one of the file's new state.
        case reloaded(EffectInstance)
        /// The new state is no effect, or does not compile: the instance stays what it was.
        case failed(EffectInstance, EffectError)
        /// The preset of this path has been applied anew.
        case applied(String)
        /// The preset of this path is none, or not of these effects. What of it was right may hold.
        case presetFailed(String, EffectError)
    }

    private let worker: Worker
    private let thread: WorkerThread

    /// Starts watching, nothing at first.
    ///
    /// - Parameters:
    ///   - readPicture: nil to leave pictures that come with effects transparent.
    ///   - makeContext: makes, on the watcher's thread, a context to compile in before anything is
    ///     drawn with what was saved; nil where there is none, and then the thread that draws
    ///     compiles.
    ///   - handler: called on the watcher's thread after each save.
    /// - Throws: `EffectError.unreadable` where the system does not let folders be watched.
    package init(
        readPicture: (@Sendable (_ path: String) throws -> PixelBuffer)? = nil,
        makeContext: (@Sendable () throws(GLError) -> any GLContext)? = nil,
        handler: @escaping @Sendable (Event) -> Void
    ) throws(EffectError) {
        let worker = Worker(
            folders: try FolderWatcher(), readPicture: readPicture, makeContext: makeContext,
            handler: handler)
        self.worker = worker
        thread = WorkerThread(name: "ph-effects") { worker.run() }
    }

    deinit { worker.folders.stop() }

    /// Ends watching, and waits until nothing is compiled any more: before a program ends, for
    /// drivers take themselves apart then. Not from the handler.
    public func stop() {
        worker.folders.stop()
        thread.join()
    }

    /// Watches the file of an instance's effect; of a built-in one there is none, and nothing
    /// happens.
    ///
    /// - Parameter format: what it is written in; nil to tell by what it holds.
    public func watch(_ instance: EffectInstance, format: EffectFormat? = nil) {
        let path = instance.effect.path
        guard access(path, F_OK) == 0 else { return }
        instance.isLive = true
        worker.change { state in
            state.entries.append(
                Worker.Entry(
                    instance: instance, path: path, format: format,
                    files: EffectFiles(instance.effect)))
        }
    }

    /// Watches a preset: effects are set to it when it is saved, not before.
    public func watch(presetAt path: String, of instances: [EffectInstance]) {
        worker.change { state in
            state.presets.append(
                Worker.Preset(
                    path: path, files: EffectFiles(path: path),
                    instances: instances.map { Worker.Weak(instance: $0) }))
        }
    }

    /// Ends watching an instance.
    public func unwatch(_ instance: EffectInstance) {
        instance.isLive = false
        worker.change { state in state.entries.removeAll { $0.instance === instance } }
    }

    /// The state of the thread.
    private final class Worker: Sendable {
        struct Entry {
            weak var instance: EffectInstance?
            let path: String
            let format: EffectFormat?
            /// Of the last state that could be read, and of this one's folder in any case.
            var files: EffectFiles
            /// Why the last load failed: then any file may be the one that was missing.
            var failure: EffectError?
            /// The state of its files when they were last loaded.
            var loaded: [String: LoadedFile] = [:]

            /// What of that which has changed it may have to do with, and is not what it was.
            func news(of changed: Set<String>) -> Set<String> {
                let concerning = changed.filter { path in
                    // Everything in a folder, or something in one of which not all names are known.
                    files.paths.contains(path)
                        || files.folders.contains { folder in
                            path == folder + "/"
                                || (failure != nil || files.isFolder)
                                    && path.hasPrefix(folder + "/")
                        }
                }
                return loaded.news(of: concerning)
            }
        }

        struct Weak {
            weak var instance: EffectInstance?
        }

        struct Preset {
            let path: String
            let files: EffectFiles
            let instances: [Weak]
            /// The state of its file when it was last loaded.
            var loaded: [String: LoadedFile] = [:]

            func isDue(_ changed: Set<String>) -> Bool {
                !loaded.news(of: changed.intersection(files.paths)).isEmpty
            }
        }

        struct State {
            var entries: [Entry] = []
            /// None of them ever goes.
            var presets: [Preset] = []
            var folders: Set<String> {
                let files = entries.map(\.files) + presets.map(\.files)
                return files.reduce(into: Set<String>()) { $0.formUnion($1.folders) }
            }
        }

        let folders: FolderWatcher
        /// Held while `folders` is told what to watch, which holds a lock of its own.
        private let state = Mutex(State())
        private let readPicture: (@Sendable (String) throws -> PixelBuffer)?
        private let makeContext: (@Sendable () throws(GLError) -> any GLContext)?
        private let handler: @Sendable (Event) -> Void
        private let pictures = PictureShelf()

        init(
            folders: FolderWatcher, readPicture: (@Sendable (String) throws -> PixelBuffer)?,
            makeContext: (@Sendable () throws(GLError) -> any GLContext)?,
            handler: @escaping @Sendable (Event) -> Void
        ) {
            self.folders = folders
            self.readPicture = readPicture
            self.makeContext = makeContext
            self.handler = handler
        }

        /// Changes what is watched.
        func change(_ change: (inout State) -> Void) {
            state.withLock { state in
                change(&state)
                // Not after the lock: another thread's newer set would give way to this one.
                folders.watch(state.folders)
            }
        }

        func run() {
            // Software OpenGL compiles for a tenth of a second with all that a processor has: the
            // film goes first.
            WorkerThread.yieldToOthers()
            // Made at once, for the first save is to be as quick as the others.
            let context = try? makeContext?()
            let prewarm = context.flatMap { try? EffectPrewarm($0) }
            if let prewarm { warmUp(prewarm) }
            while let changed = folders.next() {
                let (entries, presets) = state.withLock { state in
                    state.entries.removeAll { $0.instance == nil }
                    return (state.entries, state.presets)
                }
                // All of them before any is loaded: what is loaded may take a while.
                let news = entries.map { $0.news(of: changed) }
                let duePresets = presets.indices.filter { presets[$0].isDue(changed) }
                for (entry, news) in zip(entries, news) where !news.isEmpty {
                    reload(entry, prewarm, news)
                }
                for index in duePresets { apply(presets[index], index) }
                prewarm?.clear()
            }
            context?.clearCurrent()
        }

        /// Compiles what every effect is compiled with.
        private func warmUp(_ prewarm: EffectPrewarm) {
            guard let effect = try? EffectLibrary.effect(named: "exposure") else { return }
            _ = prewarm.run(effect, like: EffectInstance(effect))
            prewarm.clear()
        }

        private func reload(
            _ entry: Entry, _ prewarm: EffectPrewarm?, _ news: Set<String>
        ) {
            guard let instance = entry.instance else { return }
            let loaded = [String: LoadedFile](of: entry.files.paths.union(news))
            do throws(EffectError) {
                let reader: EffectLibrary.PictureReader? = readPicture.map { read in
                    { [pictures] path in try pictures.picture(path, read) }
                }
                let effect = try EffectLibrary.effect(
                    path: entry.path, format: entry.format, readPicture: reader)
                note(entry, EffectFiles(effect), nil, loaded)
                if let error = prewarm?.run(effect, like: instance) { throw error }
                instance.replace(with: effect)
                handler(.reloaded(instance))
            } catch {
                if case .compilation = error {} else { note(entry, nil, error, loaded) }
                // A file beside it that has changed mended nothing: that is no news.
                guard error != entry.failure || !news.isDisjoint(with: entry.files.paths) else {
                    return
                }
                handler(.failed(instance, error))
            }
        }

        private func apply(_ preset: Preset, _ index: Int) {
            let loaded = [String: LoadedFile](of: preset.files.paths)
            state.withLock { $0.presets[index].loaded = loaded }
            do throws(EffectError) {
                let reader: EffectLibrary.PictureReader? = readPicture.map { read in
                    { [pictures] path in try pictures.picture(path, read) }
                }
                try EffectPreset(path: preset.path).apply(
                    to: preset.instances.compactMap(\.instance), readPicture: reader)
                handler(.applied(preset.path))
            } catch {
                handler(.presetFailed(preset.path, error))
            }
        }

        private func note(
            _ entry: Entry, _ files: EffectFiles?, _ failure: EffectError?,
            _ loaded: [String: LoadedFile]
        ) {
            change { state in
                let index = state.entries.firstIndex { $0.instance === entry.instance }
                guard let index else { return }
                if let files { state.entries[index].files = files }
                state.entries[index].failure = failure
                state.entries[index].loaded = loaded
            }
        }
    }
}
