// SPDX-License-Identifier: Apache-2.0

import CPlayheadV4L2
import Glibc
import PlayheadCapturing

/// An open node of a video device.
///
/// - Concurrency: one thread at a time. Any thread may release it after the last use.
/// - Ownership: closes the node when released.
final class V4L2Device: Sendable {
    let descriptor: Int32
    let path: String
    /// The name of the device for error messages.
    let name: String
    /// The type of the device's buffers, either with one memory plane or with several.
    let bufferType: UInt32

    /// Opens a node.
    init(_ path: String, name: String) throws(CaptureError) {
        var descriptor: Int32 = -1
        let code = ph_v4l2_open(path, &descriptor)
        guard code == 0 else { throw Self.failure(code, of: name, at: path, while: "opened") }
        self.descriptor = descriptor
        bufferType = V4L2Identity.bufferType(of: descriptor).rawValue
        self.path = path
        self.name = name
    }

    deinit { close(descriptor) }

    /// Calls one of the driver's functions, which are declared in `shim.h`.
    func perform<Argument>(
        _ action: String, _ argument: inout Argument,
        _ call: (Int32, UnsafeMutablePointer<Argument>) -> Int32
    ) throws(CaptureError) {
        let code = call(descriptor, &argument)
        if code != 0 { throw failure(code, while: action) }
    }

    /// Throws an error if the result of a call is that the device is gone. Other results end a list
    /// that the driver returns entry by entry, or skip an entry.
    func requirePresence(_ code: Int32, while action: String) throws(CaptureError) {
        if code == ENODEV || code == ENXIO { throw failure(code, while: action) }
    }

    /// Returns the error for an error number.
    func failure(_ code: Int32, while action: String) -> CaptureError {
        Self.failure(code, of: name, at: path, while: action)
    }

    private static func failure(
        _ code: Int32, of name: String, at path: String, while action: String
    ) -> CaptureError {
        switch code {
        case EACCES, EPERM:
            CaptureError(
                .notAuthorized, subject: name, cause: "you may not use \(path)",
                remedy: "add yourself to the device's group, such as video (sudo usermod -aG video "
                    + "$USER), and log in again")
        case EBUSY:
            CaptureError(
                .deviceInUse, subject: name, cause: "another program uses it",
                remedy: "find that program with 'playhead doctor', and close it")
        case ENOENT, ENODEV, ENXIO:
            CaptureError(
                .deviceDisconnected, subject: name, cause: "the device was disconnected",
                remedy: "plug it in again")
        case ENOSPC:
            CaptureError(
                .noBandwidth, subject: name,
                cause: "the USB bus does not have enough bandwidth for this format",
                remedy: "use a smaller size, a lower rate or MJPEG, or another port")
        case EMFILE, ENFILE:
            CaptureError.tooManyOpenFiles(name)
        case ENOMEM:
            CaptureError(
                .deviceFailed, subject: name,
                cause: "there is not enough memory for its buffers", remedy: "use a smaller size")
        default:
            CaptureError(
                .deviceFailed, subject: name,
                cause: "it cannot be \(action) (\(String(cString: strerror(code))))",
                remedy: "unplug it and plug it in again")
        }
    }
}
