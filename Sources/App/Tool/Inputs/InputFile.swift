// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadEditing
import PlayheadUI
import Synchronization

/// Media as named on a command line: a path, a URL, `-` for standard input, or the file descriptor
/// that a shell creates for `<(command)`.
enum InputFile {
    static func asset(
        _ file: String, options: AssetOptions = AssetOptions(),
        timeline: TimelineOptions = TimelineOptions()
    ) -> Asset {
        if Timeline.isTimeline(file), case .file(let path) = AssetLocation(file) {
            return TimelineAsset(path: path, timeline: timeline, options: options) {
                report($0, of: file)
            }
        }
        guard let descriptor = descriptor(file) else {
            if let source = imageSequence(file) {
                var options = options
                // Each image is a frame of a video, not a still.
                options.stillDuration = nil
                return DataAsset(source, name: file, options: options)
            }
            return URLAsset(file, options: options)
        }
        do {
            let name = descriptor == STDIN_FILENO ? "standard input" : file
            let source = try FileDescriptorDataSource(descriptor, subject: name)
            return DataAsset(StandardInputSource(source, name: name), name: name, options: options)
        } catch {
            // The descriptor is closed. Opening this asset reports that.
            return URLAsset("/dev/fd/\(descriptor)", options: options)
        }
    }

    /// The maximum number of notes on a timeline that are printed.
    private static let maximumNotes = 20
    /// The timelines whose notes have been printed. A command may open its input more than once,
    /// but prints each note once.
    private static let reported = Mutex<Set<String>>([])

    private static func report(_ notes: [TimelineNote], of file: String) {
        guard reported.withLock({ $0.insert(file).inserted }) else { return }
        for note in notes.prefix(maximumNotes) { Console.note("\(file): \(note)") }
        let rest = notes.count - maximumNotes
        if rest > 0 { Console.note("\(file): \(rest) more notes of this kind are not shown") }
    }

    /// Returns the images for a pattern such as `frame-%04d.png`; nil if the name has no pattern.
    private static func imageSequence(_ file: String) -> ImageSequenceSource? {
        guard let files = ImagePattern(file)?.files(), !files.isEmpty else { return nil }
        return ImageSequenceSource(files)
    }

    /// The name of media for messages, titles and files: as it was given, but an address without
    /// its password.
    static func name(_ file: String) -> String { AssetLocation.publicDescription(of: file) }

    /// Returns whether a name has the extension of a subtitle file.
    static func isSubtitles(_ file: String) -> Bool {
        let ending = (AssetLocation(file).displayName as NSString).pathExtension.lowercased()
        return SubtitleFile.extensions.contains(ending)
    }

    /// Returns whether media can be opened twice. A pipe cannot, because it can be read only once,
    /// and a stream that is received would be another one.
    static func opensAgain(_ file: String) -> Bool {
        if AssetLocation.isReceived(file) { return false }
        var status = stat()
        if let descriptor = descriptor(file) {
            return fstat(descriptor, &status) == 0 && status.st_mode & S_IFMT == S_IFREG
        }
        guard stat(file, &status) == 0 else {
            return file.contains("://") || ImagePattern(file)?.files().isEmpty == false
        }
        return status.st_mode & S_IFMT == S_IFREG || Timeline.isTimeline(file)
    }

    /// Returns whether a name is that of an existing file that can be read only once, such as a
    /// pipe.
    static func readsOnce(_ file: String) -> Bool {
        var status = stat()
        let result = descriptor(file).map { fstat($0, &status) } ?? stat(file, &status)
        return result == 0 && ![S_IFREG, S_IFDIR].contains(status.st_mode & S_IFMT)
    }

    /// Returns whether a name refers to standard input.
    static func isStandardInput(_ file: String) -> Bool { descriptor(file) == STDIN_FILENO }

    /// Returns the file descriptor that a name refers to; nil if it is the name of a file.
    private static func descriptor(_ file: String) -> CInt? {
        if file == "-" || file == "/dev/stdin" { return STDIN_FILENO }
        for folder in ["/dev/fd/", "/proc/self/fd/"] where file.hasPrefix(folder) {
            return CInt(file.dropFirst(folder.count)).flatMap { $0 >= 0 ? $0 : nil }
        }
        return nil
    }
}
