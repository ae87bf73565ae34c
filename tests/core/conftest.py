"""Small tensors on a busy machine: one operation's threads would spend their time waiting for each other."""

import torch

torch.set_num_threads(1)
