// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PlayheadUI

/// Where the next screenshot goes: a path that no file has, by a template.
struct ScreenshotNames {
    private let template: ScreenshotTemplate
    /// What paths that are not absolute begin at.
    private let folder: String?
    private var count = 0

    init(_ options: PlayCommand) {
        template = options.window.screenshotTemplate?.template ?? .standard
        folder = options.window.screenshotDirectory
    }

    /// The next path; its folders are there then.
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
                    "\(path): there is such a file already; put %n into --screenshot-template")
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
                "\(folder): the folder cannot be made; choose one where you may write")
        }
    }
}

/// A template as an option.
struct ScreenshotTemplateArgument {
    let template: ScreenshotTemplate

    /// What an option reads it with.
    init(argument: String) throws {
        do {
            template = try ScreenshotTemplate(argument)
        } catch {
            throw ValidationError("\(error)")
        }
    }
}
