// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import Foundation
import PlayheadUI

/// An error of the command-line program: a line of text, and the exit status.
struct ToolError: Error, CustomStringConvertible {
    let status: ExitStatus
    /// The subject, the problem and the remedy, as one line.
    let description: String

    init(_ status: ExitStatus, _ description: String) {
        self.status = status
        self.description = Self.line(description).printable()
    }

    /// Joins the lines of a text into one line. List items are separated by commas, and other lines
    /// by semicolons.
    private static func line(_ text: String) -> String {
        var line = ""
        for part in text.split(whereSeparator: \.isNewline) {
            let part = part.trimmingCharacters(in: .whitespaces)
            let isItem = part.hasPrefix("- ")
            if line.hasSuffix(":") {
                line += " "
            } else if !line.isEmpty {
                line += isItem ? ", " : "; "
            }
            line += isItem ? String(part.dropFirst(2)) : part
        }
        return line
    }

    /// Creates an error from an error of a library.
    init(_ error: any Error) {
        switch error {
        case let error as ToolError: self = error
        case let error as RenderReport.Problem:
            switch error {
            case .effect(let error): self.init(error)
            case .gl(let error): self.init(error)
            case .picture(let error): self.init(.mediaFailure, "\(error)")
            case .layer(let error): self.init(.wrongUsage, error.description)
            case .message(let message): self.init(.noGraphics, message.description)
            }
        case let error as EffectError: self.init(error)
        case let error as GLError: self.init(error)
        case let error as WindowError: self.init(.noGraphics, error.description)
        default: self.init(.mediaFailure, "\(error)")
        }
    }

    private init(_ error: GLError) {
        var line = error.description
        if case .contextLost = error {
            line = "the driver lost the OpenGL context; run the command again"
        }
        if case .unavailable = error { line += "; run 'playhead doctor'" }
        self.init(.noGraphics, line)
    }

    private init(_ error: EffectError) {
        switch error {
        case .notFound, .unknownInput, .wrongType: self.init(.wrongUsage, error.description)
        case .unreadable: self.init(.mediaFailure, error.description)
        case .malformedHeader, .beyondLimit, .unsupported, .inaccessible, .tooSlow:
            self.init(.effectFailure, error.description)
        case .gl(let error): self.init(error)
        case .compilation(_, let diagnostics):
            // Only the first error is used, because the others often follow from it.
            let errors = diagnostics.filter { !$0.isWarning }
            let more = errors.count > 1 ? " (and \(errors.count - 1) more)" : ""
            let first = errors.first ?? diagnostics.first
            self.init(.effectFailure, (first?.description ?? error.description) + more)
        }
    }
}
