// SPDX-License-Identifier: Apache-2.0

import ArgumentParser
import PlayheadCapture
import PlayheadUI

/// `playhead devices`: lists cameras and audio devices.
struct DevicesCommand: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "devices",
        abstract: "List cameras for 'play camera:0', and the audio devices for --audio-device.")

    func run() throws {
        let cameras = CaptureDiscoverySession.cameras.devices
        for (index, camera) in cameras.enumerated() { list(camera, index) }
        do throws(AudioError) {
            let devices = try PulseAudioDevice.all()
            guard !devices.isEmpty else {
                throw AudioError(
                    .noDevice, subject: "PulseAudio", cause: "no audio device")
            }
            for device in devices {
                Console.print("\(device.name)\(device.isDefault ? " (default)" : "")")
                Console.print(
                    "    \(device.title), \(device.sampleRate) Hz, \(device.channelCount) channels")
            }
        } catch {
            guard !cameras.isEmpty else { throw ToolError(.mediaFailure, "\(error)") }
            Console.note("\(error)")
        }
    }

    private func list(_ camera: CaptureDevice, _ index: Int) {
        Console.print("camera:\(index)  \(camera.localizedName)")
        Console.print("    \(camera.uniqueID)")
        do throws(CaptureError) {
            for format in try camera.loadFormats() {
                Console.print("    \(format)")
            }
            for control in try camera.loadControls() {
                Console.print(
                    "    \(control.name) \(control.value) (\(control.valuesText))"
                        + (control.isSettable ? "" : ", not settable now"))
            }
        } catch {
            Console.print("    \(error.cause); \(error.remedy)")
        }
    }
}
