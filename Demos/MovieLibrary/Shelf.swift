// SPDX-License-Identifier: Apache-2.0

import DemoSupport
import Foundation
import PlayheadUI

/// The videos of a folder, and the properties that have been read so far.
@MainActor final class Shelf {
    private static let extensions: Set = [
        "avi", "flv", "m2ts", "m4v", "mkv", "mov", "mp4", "mpg", "mxf", "ogv", "ts", "webm", "wmv",
    ]
    private static let thumbnailTime = 0.35

    /// The folder or files that the videos come from, as text.
    let place: String
    private(set) var films: [ShelfFilm]
    private(set) var isComplete = false

    /// Creates a shelf.
    ///
    /// - Parameter paths: videos, or folders of videos. If it is empty, some built-in videos are
    ///   used.
    init(_ paths: [String]) {
        let files = paths.flatMap(Self.files)
        place = paths.first.map { URL(fileURLWithPath: $0).lastPathComponent } ?? "built in"
        let assets = paths.isEmpty ? Self.builtIn : files.map { URLAsset($0) }
        films = assets.map { ShelfFilm(asset: $0) }
        // The videos are loaded one after another, so that the first rows are ready first.
        Task {
            for index in films.indices { await load(index) }
            isComplete = true
        }
    }

    /// Loads the properties first, because that is fast, and then a thumbnail.
    private func load(_ index: Int) async {
        let asset = films[index].asset
        do {
            let description = try await asset.load(.description)
            films[index].description = description
            let generator = ImageGenerator(
                asset: asset, options: ImageGenerator.Options(maximumSize: (264, 148)))
            let time =
                description.duration.isNumeric ? description.duration * Self.thumbnailTime : .zero
            let picture = try await generator.image(at: time).image
            films[index].thumbnail = PixelBuffer(picture)
        } catch {
            films[index].problem = error.description
        }
    }

    /// Returns the file at a path or, for a folder, the files in it by name.
    private static func files(_ path: String) -> [String] {
        var isFolder: ObjCBool = false
        let manager = FileManager.default
        guard manager.fileExists(atPath: path, isDirectory: &isFolder), isFolder.boolValue else {
            return [path]
        }
        let names = (try? manager.contentsOfDirectory(atPath: path)) ?? []
        return names.sorted().filter { name in
            extensions.contains(name.split(separator: ".").last?.lowercased() ?? "")
        }.map { "\(path)/\($0)" }
    }

    private static var builtIn: [Asset] {
        [
            Films.builtIn,
            Films.synthetic("Test pattern, 60 Hz", seconds: 20, framesPerSecond: 60),
            Films.synthetic("Test pattern, film rate", seconds: 90, framesPerSecond: 24) {
                ($0.width, $0.height) = (640, 270)
            },
            Films.synthetic("Test pattern, 10 bits", seconds: 30, framesPerSecond: 50) {
                $0.pixelFormat = .yuv420p10
                ($0.width, $0.height) = (480, 270)
            },
            Films.synthetic("Test pattern, upright", seconds: 45, framesPerSecond: 30) {
                ($0.width, $0.height) = (270, 480)
            },
            Films.synthetic("Test pattern, a tone", seconds: 3725, framesPerSecond: 25) {
                $0.sounds = [SyntheticSound(.tone(440), duration: $0.duration)]
            },
        ]
    }
}
