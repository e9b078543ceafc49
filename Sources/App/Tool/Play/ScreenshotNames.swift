// SPDX-License-Identifier: Apache-2.0

import Foundation
import PlayheadUI

/// Generates unused paths for screenshots from a template.
struct ScreenshotNames {
    private let template: ScreenshotTemplate
    /// The directory that relative paths refer to.
    private let folder: String?
    private var count = 0

    init(_ options: PlayOptions) {
        template = options.window.screenshotTemplate?.template ?? .standard
        folder = options.window.screenshotDirectory
    }

    /// Returns the next path, and creates the directories in it.
    mutating func next(_ facts: ScreenshotTemplate.Facts) throws -> String {
        if template.takesLowestNumber { count = 0 }
        while true {
            count += 1
            let path = path(template.path(number: count, facts) + ".png")
            if !FileManager.default.fileExists(atPath: path) {
                try makeFolder(of: path)
                return path
            }
            guard template.hasNumber else {
                throw ToolError(
                    .mediaFailure,
                    "\(path): the file already exists; add %n to --screenshot-template")
            }
        }
    }

    private func path(_ name: String) -> String {
        guard let folder, !name.hasPrefix("/") else { return name }
        return folder.hasSuffix("/") ? folder + name : "\(folder)/\(name)"
    }

    private func makeFolder(of path: String) throws {
        guard let slash = path.lastIndex(of: "/") else { return }
        let folder = String(path[..<slash])
        guard !folder.isEmpty, !FileManager.default.fileExists(atPath: folder) else { return }
        do {
            try FileManager.default.createDirectory(
                atPath: folder, withIntermediateDirectories: true)
        } catch {
            throw ToolError(
                .mediaFailure,
                "\(folder): the directory cannot be created; choose a writable place")
        }
    }
}
