// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadUI

/// A screenshot template on the command line.
struct ScreenshotTemplateArgument {
    let template: ScreenshotTemplate

    /// Parses an argument.
    init(argument: String) throws {
        do {
            template = try ScreenshotTemplate(argument)
        } catch {
            throw ValidationError("\(error)")
        }
    }
}
