// SPDX-License-Identifier: Apache-2.0

import Glibc
import PlayheadAssets
import PlayheadPlayback

/// The properties of the program and of the current file.
extension PlayerController {
    func provideProgram() {
        provide(.processIdentifier, PropertyAccess(get: { .number(Double(getpid())) }))
        provide(
            .workingDirectory,
            PropertyAccess(get: {
                guard let path = getcwd(nil, 0) else { return nil }
                defer { free(path) }
                return .text(String(cString: path))
            }))
        provide(
            .fileSize,
            PropertyAccess(get: { [weak self] in
                guard let path = self?.player.currentItem?.asset.subject,
                    case .file(let path) = AssetLocation(path)
                else { return nil }
                var status = stat()
                guard stat(path, &status) == 0, status.st_mode & S_IFMT == S_IFREG else {
                    return nil
                }
                return .number(Double(status.st_size))
            }))
    }
}
