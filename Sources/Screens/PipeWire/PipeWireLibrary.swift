// SPDX-License-Identifier: Apache-2.0

package import CPlayheadPipeWire
import PlayheadCapturing

/// The functions of PipeWire's library, which is loaded on first use.
///
/// - Concurrency: any thread.
package struct PipeWireLibrary: @unchecked Sendable {
    // Unchecked: the pointers to functions are constants.

    /// The functions. None of them is nil.
    package let functions: ph_pipewire

    /// The library; nil if it is not installed.
    package static let shared: PipeWireLibrary? = {
        var functions = ph_pipewire()
        return ph_pipewire_load(&functions) ? PipeWireLibrary(functions: functions) : nil
    }()

    static let absence = CaptureError(
        .deviceFailed, subject: "screen", cause: "the library libpipewire-0.3.so.0 is missing",
        remedy: "install libpipewire-0.3-0 (Debian, Ubuntu), pipewire-libs (Fedora), pipewire "
            + "(Arch) or libpipewire-0_3-0 (openSUSE)")
}
