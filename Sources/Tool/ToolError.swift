// SPDX-License-Identifier: Apache-2.0

import Playhead

/// An error as the command line reports it: one line, and the status to exit with.
struct ToolError: Error, CustomStringConvertible {
    let status: ExitStatus
    /// Names the file, what is wrong, and what to do.
    let description: String

    init(_ status: ExitStatus, _ description: String) {
        self.status = status
        self.description = description
    }

    /// The same for whatever a library threw.
    init(_ error: any Error) {
        switch error {
        case let error as ToolError: self = error
        case let error as RenderReport.Problem:
            switch error {
            case .effect(let error): self.init(error)
            case .gl(let error): self.init(error)
            case .picture(let error): self.init(.mediaFailure, "\(error)")
            }
        case let error as EffectError: self.init(.effectFailure, error.description)
        case let error as GLError: self.init(.noGraphics, error.description)
        case let error as WindowError: self.init(.noGraphics, error.description)
        default: self.init(.mediaFailure, "\(error)")
        }
    }
}
